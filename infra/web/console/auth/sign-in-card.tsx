import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { KeyIcon } from '../icons.tsx';
import type { ConsoleSettings } from '../settings.ts';
import { useStore } from '../store.ts';
import { rejection, setToken } from './access-token.ts';
import { reportNotSignedIn, signIn } from './sign-in.ts';
import { TokenForm } from './token-form.tsx';

/** A card in the place of the users, as long as nobody is signed in. */
export function SignInCard({ settings }: { settings: ConsoleSettings['auth'] }) {
  const reason = useStore(rejection);
  return (
    <main className="sign-in">
      <Paper withBorder p="xl" radius="md" w="min(26rem, 100%)">
        <Stack>
          <Title order={1} size="h3" tabIndex={-1} className="users-title">
            Sign in
          </Title>
          {reason && (
            <Alert color="red" variant="light" role="alert" title="The token was rejected">
              {reason}
            </Alert>
          )}
          {settings.kind === 'sign-in' && <IssuerButton settings={settings} />}
          {settings.kind === 'token' && settings.hasDeveloperTokens && <DeveloperButtons />}
          {settings.kind === 'token' && (
            <>
              {settings.hasDeveloperTokens && (
                <Text size="sm" c="dimmed">
                  Or paste a token, such as one of npm run token:
                </Text>
              )}
              <TokenForm />
            </>
          )}
        </Stack>
      </Paper>
    </main>
  );
}

function IssuerButton({ settings }: { settings: Extract<ConsoleSettings['auth'], { kind: 'sign-in' }> }) {
  const { mutate, isPending } = useMutation({ mutationFn: () => signIn(settings), onError: reportNotSignedIn });
  return (
    <Button leftSection={<KeyIcon size={15} />} loading={isPending} onClick={() => mutate()}>
      Sign in
    </Button>
  );
}

/** The local service mints tokens for the pages that it serves. */
function DeveloperButtons() {
  const { mutate, isPending, variables } = useMutation({
    mutationFn: async (access: 'read' | 'write') => {
      const response = await fetch(`/sign-in?${access}`, { method: 'POST' });
      if (!response.ok) throw new Error(`The service answered ${response.status}`);
      return tokenResponse.parse(await response.json());
    },
    onSuccess: ({ access_token, expires_in }) => setToken(access_token, Date.now() + expires_in * 1000),
    onError: reportNotSignedIn,
  });
  return (
    <>
      <Text size="sm">This service runs on this machine and mints its own tokens.</Text>
      <Group gap="xs">
        <Button loading={isPending && variables === 'write'} onClick={() => mutate('write')}>
          Sign in as developer
        </Button>
        <Button variant="default" loading={isPending && variables === 'read'} onClick={() => mutate('read')}>
          Only to read
        </Button>
      </Group>
    </>
  );
}

const tokenResponse = z.object({ access_token: z.string(), expires_in: z.number() });
