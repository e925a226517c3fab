import { PasswordInput } from '@mantine/core';
import { accessToken, setToken } from '../console/auth/access-token.ts';
import { useStore } from '../console/store.ts';

/** Shared with the console and other browser tabs. */
export const TokenInput = () => (
  <PasswordInput
    label="Access token"
    size="xs"
    autoComplete="off"
    placeholder="If the service requires one"
    value={useStore(accessToken) ?? ''}
    onChange={(event) => accessToken.set(() => event.target.value.trim() || undefined)}
    onBlur={() => setToken(accessToken.get())}
  />
);
