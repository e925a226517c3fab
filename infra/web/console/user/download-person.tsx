import { useMutation } from '@tanstack/react-query';
import { isKnown, readPerson } from '../../../transfer/person.ts';
import { connect } from '../api/client.ts';
import { download } from '../download.ts';
import { notify } from '../notices.tsx';
import { PendingButton } from '../pending-button.tsx';

/** Downloads the same file as `npm run export -- --user ID`. */
export const useDownloadPerson = (id: string) =>
  useMutation({
    mutationFn: async () => {
      const person = await readPerson(connect(), id);
      if (!isKnown(person)) throw new Error('nothing is held about this user');
      download(`${id}.json`, 'application/json', [`${JSON.stringify(person, undefined, 2)}\n`]);
      return person;
    },
    onSuccess: ({ postChanges }) =>
      notify({
        message: `Downloaded the user, posts and history, ${postChanges ? 'and the last day of' : 'but no'} changes of posts`,
        tone: 'done',
      }),
    onError: ({ message }) => notify({ message: `Not downloaded: ${message}`, tone: 'error' }),
  });

export function DownloadPerson({ id }: { id: string }) {
  const { mutate, isPending } = useDownloadPerson(id);
  return (
    <PendingButton
      variant="default"
      title="The user, posts, history, and the last day of changes of posts, as one JSON file"
      isPending={isPending}
      onClick={() => mutate()}
    >
      Download the data
    </PendingButton>
  );
}
