import { Button, Group, PasswordInput, Popover, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { KeyIcon } from '../icons.tsx';
import { useStore } from '../store.ts';
import { accessToken, setToken } from './access-token.ts';
import { signOut } from './sign-in.ts';

/** https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const TOKEN = /^[\w.~+/-]+=*$/;

/** Takes a token for a service that publishes no issuer where people can sign in. */
export function TokenField() {
  const token = useStore(accessToken);
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover
      position="bottom-end"
      width="min(24rem, 92vw)"
      shadow="md"
      withinPortal
      trapFocus
      returnFocus
      opened={isOpen}
      onChange={setOpen}
    >
      <Popover.Target>
        <Button
          variant={token ? 'default' : 'filled'}
          size="xs"
          leftSection={<KeyIcon size={15} />}
          onClick={() => setOpen(!isOpen)}
        >
          {token ? 'Token' : 'Add token'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <TokenForm token={token} onUse={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

function TokenForm({ token, onUse }: { token: string | undefined; onUse: () => void }) {
  const queryClient = useQueryClient();
  const [text, setText] = useState(token ?? '');
  const typed = text.trim().replace(/^bearer\s+/i, '');
  const isToken = TOKEN.test(typed);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!isToken) return;
    setToken(typed);
    queryClient.resetQueries();
    onUse();
  };
  return (
    <Stack component="form" gap="sm" onSubmit={submit}>
      <PasswordInput
        label="Bearer token"
        description="A JWT with the scopes users:read and users:write. It is kept until this tab is closed."
        value={text}
        error={typed && !isToken && 'A token has no spaces and only letters, digits and - . _ ~ + / ='}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        autoComplete="off"
      />
      <Group gap="xs">
        <Button type="submit" size="xs" disabled={!isToken}>
          Use token
        </Button>
        {token && (
          <Button size="xs" variant="default" onClick={signOut}>
            Remove token
          </Button>
        )}
      </Group>
    </Stack>
  );
}
