import { Button, PasswordInput, Popover } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { accessToken, setToken } from '../api/access-token.ts';
import { KeyIcon } from '../icons.tsx';
import { useStore } from '../store.ts';

/** Where the service requires tokens but tells no place to sign in. */
export function TokenField() {
  const queryClient = useQueryClient();
  const token = useStore(accessToken);
  const change = (value: string) => {
    setToken(value.trim() || undefined);
    queryClient.invalidateQueries();
  };
  return (
    <Popover position="bottom-end" width="min(24rem, 92vw)" shadow="md" withinPortal trapFocus>
      <Popover.Target>
        <Button variant={token ? 'default' : 'filled'} size="xs" leftSection={<KeyIcon size={15} />}>
          {token ? 'Token' : 'Add token'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <PasswordInput
          label="Bearer token"
          description="A JWT with the scopes users:read and users:write. It is kept until this tab is closed."
          value={token ?? ''}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          autoComplete="off"
        />
      </Popover.Dropdown>
    </Popover>
  );
}
