import { PasswordInput } from '@mantine/core';
import { accessToken, setToken } from '../console/auth/access-token.ts';
import { useStore } from '../console/store.ts';

/** All operations, and the console in this tab, have the same token. */
export const TokenInput = () => (
  <PasswordInput
    label="Access token"
    size="xs"
    autoComplete="off"
    placeholder="If the service requires one"
    value={useStore(accessToken) ?? ''}
    onChange={(event) => setToken(event.target.value.trim() || undefined)}
  />
);
