import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { notify } from '../notices.tsx';
import { downloadPerson } from './person-file.ts';

/** Hands over what is held about a person. */
export const useDownloadPerson = (id: string) =>
  useMutation({
    mutationFn: () => downloadPerson(id),
    onSuccess: () => notify({ message: 'Downloaded all data: the user, posts and history', tone: 'done' }),
    onError: ({ message }) => notify({ message: `Not downloaded: ${message}`, tone: 'error' }),
  });

export function DownloadPerson({ id }: { id: string }) {
  const { mutate, isPending } = useDownloadPerson(id);
  return (
    <Button
      variant="default"
      title="The user, posts, and the changes that are kept, as one JSON file"
      loading={isPending}
      onClick={() => mutate()}
    >
      Download all data
    </Button>
  );
}
