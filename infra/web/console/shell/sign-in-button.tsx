import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { accessToken } from '../api/access-token.ts';
import { reportNotSignedIn, signIn, signOut } from '../auth/sign-in.ts';
import { KeyIcon } from '../icons.tsx';
import type { SignInSettings } from '../settings.ts';
import { useStore } from '../store.ts';

export function SignInButton({ settings }: { settings: SignInSettings }) {
  const token = useStore(accessToken);
  const { mutate, isPending } = useMutation({ mutationFn: () => signIn(settings), onError: reportNotSignedIn });
  if (token)
    return (
      <Button variant="default" size="xs" onClick={signOut}>
        Sign out
      </Button>
    );
  return (
    <Button size="xs" leftSection={<KeyIcon size={15} />} loading={isPending} onClick={() => mutate()}>
      Sign in
    </Button>
  );
}
