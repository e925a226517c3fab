import { Alert, Button, Center, Group, Modal, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import * as z from 'zod/mini';
import { usersTitle } from '../focus.ts';
import { PendingButton } from '../pending-button.tsx';
import type { ConsoleSettings, SignInSettings } from '../settings.ts';
import { useStore } from '../store.ts';
import { FormError } from '../user/form-messages.tsx';
import { type Rejection, rejection, setToken } from './access-token.ts';
import { explainNotSignedIn, signIn, signInAgain, signOut } from './sign-in.ts';

type Props = { settings: ConsoleSettings['auth'] };

export const SignInCard = ({ settings }: Props) => (
  <Center component="main" flex={1} p="md" style={{ overflow: 'auto' }}>
    <Paper withBorder p="xl" radius="md" w="min(26rem, 100%)">
      <Stack>
        <Title order={1} size="h3" tabIndex={-1} ref={usersTitle}>
          Sign in
        </Title>
        <SignInForm settings={settings} signIn={signIn} />
      </Stack>
    </Paper>
  </Center>
);

/** Appears when the token is no longer valid. All requests wait for the next token. */
export const SignInDialog = ({ settings }: Props) => (
  <Modal
    opened
    onClose={() => {}}
    title="Sign in"
    withCloseButton={false}
    closeOnEscape={false}
    closeOnClickOutside={false}
    overlayProps={{ blur: 12 }}
    zIndex={400}
    returnFocus
    // A click here is outside of an open popover, which would close and drop its text.
    onMouseDown={stopPropagation}
    onTouchStart={stopPropagation}
  >
    <Stack>
      <Text size="sm">What you have typed and begun goes on once you have signed in.</Text>
      <SignInForm settings={settings} signIn={signInAgain} />
      <Button variant="subtle" color="gray" onClick={signOut}>
        Sign out
      </Button>
    </Stack>
  </Modal>
);

const stopPropagation = (event: SyntheticEvent) => event.stopPropagation();

function SignInForm({ settings, signIn }: Props & { signIn: (settings: SignInSettings) => Promise<void> }) {
  const rejected = useStore(rejection);
  const [error, setError] = useState<Error>();
  const start = (settings: SignInSettings) => {
    setError(undefined);
    signIn(settings).catch(setError);
  };
  return (
    <>
      {rejected && <RejectedToken {...rejected} isSignIn={settings.kind === 'sign-in'} />}
      {settings.kind === 'sign-in' && (
        // Stays enabled during the sign-in, because closing the sign-in window raises no event.
        <Button leftSection={<IconKey size={15} />} onClick={() => start(settings)}>
          Sign in
        </Button>
      )}
      {settings.kind === 'token' && settings.hasDeveloperTokens && (
        <>
          <DeveloperButtons />
          <Text size="sm" c="dimmed">
            Or paste a token, such as one of npm run token:
          </Text>
        </>
      )}
      {settings.kind === 'token' && <TokenForm />}
      <FormError message={error && explainNotSignedIn(error)} />
    </>
  );
}

function RejectedToken({ hasExpired, reason, isSignIn }: Rejection & { isSignIn: boolean }) {
  const expired = isSignIn ? 'Your sign-in has expired' : 'The token has expired';
  return (
    <Alert color={hasExpired ? 'yellow' : 'red'} role="alert" title={hasExpired ? expired : 'The token was rejected'}>
      {reason}
    </Alert>
  );
}

function DeveloperButtons() {
  const { mutate, isPending, variables, error } = useMutation({
    // One after the other: the last click decides.
    scope: { id: 'developer-token' },
    mutationFn: async (access: 'read' | 'write') => {
      const response = await fetch(`/sign-in?${access}`, { method: 'POST' }).catch(() => undefined);
      if (!response) throw new Error('The service cannot be reached');
      if (!response.ok) throw new Error(`The service answered ${response.status}`);
      return tokenResponse.parse(await response.json());
    },
    onSuccess: ({ access_token, expires_in }) => setToken(access_token, Date.now() + expires_in * 1000),
  });
  return (
    <>
      <Text size="sm">This service runs on this machine and mints its own tokens.</Text>
      <Group gap="xs">
        <PendingButton isPending={isPending && variables === 'write'} onClick={() => mutate('write')}>
          Sign in as developer
        </PendingButton>
        <PendingButton variant="default" isPending={isPending && variables === 'read'} onClick={() => mutate('read')}>
          Only to read
        </PendingButton>
      </Group>
      <FormError message={error ? explainNotSignedIn(error) : undefined} />
    </>
  );
}

const tokenResponse = z.object({ access_token: z.string(), expires_in: z.number() });

/** https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const TOKEN = /^[\w.~+/-]+=*$/;

/** Form to paste a token of an issuer without sign-in for browsers. */
function TokenForm() {
  const [text, setText] = useState('');
  const typed = text.trim().replace(/^bearer\s+/i, '');
  const isToken = TOKEN.test(typed);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isToken) setToken(typed);
  };
  return (
    <Stack component="form" gap="sm" onSubmit={submit}>
      <PasswordInput
        label="Bearer token"
        description="A JWT with the scope users:read, and users:write for changes. All tabs use it until it expires or you sign out."
        value={text}
        error={typed && !isToken && 'A token has no spaces and only letters, digits and - . _ ~ + / ='}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        autoComplete="off"
      />
      <Button type="submit" variant="default" disabled={!isToken}>
        Use token
      </Button>
    </Stack>
  );
}
