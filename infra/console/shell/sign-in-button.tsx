import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { accessToken } from '../api/access-token.ts';
import { signIn, signOut } from '../auth/sign-in.ts';
import { KeyIcon } from '../icons.tsx';
import { notify } from '../notices.ts';
import type { SignInSettings } from '../settings.ts';
import { useStore } from '../store.ts';

export function SignInButton({ settings }: { settings: SignInSettings }) {
  const queryClient = useQueryClient();
  const token = useStore(accessToken);
  const { mutate, isPending } = useMutation({
    mutationFn: () => signIn(settings),
    onError: (error) => notify({ message: `Not signed in: ${error.message}`, tone: 'error' }),
  });
  if (token)
    return (
      <Button
        variant="default"
        size="xs"
        onClick={() => {
          signOut();
          queryClient.resetQueries();
        }}
      >
        Sign out
      </Button>
    );
  return (
    <Button size="xs" leftSection={<KeyIcon size={15} />} loading={isPending} onClick={() => mutate()}>
      Sign in
    </Button>
  );
}
