import { isKnown, readPerson } from '../../../transfer/person.ts';
import { connect } from '../api/client.ts';
import { download } from '../download.ts';
import { useChange } from '../notices.tsx';
import { PendingButton } from '../pending-button.tsx';

/** Downloads the same file as `npm run export -- --user ID`. */
export const useDownloadPerson = (id: string) =>
  useChange({
    failure: 'Not downloaded',
    needsNotice: () => true,
    send: async () => {
      const person = await readPerson(connect(), id);
      if (!isKnown(person)) throw new Error('nothing is held about this user');
      download(`${id}.json`, 'application/json', [`${JSON.stringify(person, undefined, 2)}\n`]);
      return person;
    },
    onSent: ({ postChanges }) => ({
      message: `Downloaded the user, posts and history, ${postChanges ? 'and the last day of' : 'but no'} changes of posts`,
    }),
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
