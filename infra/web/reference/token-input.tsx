import { useId } from 'react';
import { accessToken, setToken } from '../console/auth/access-token.ts';
import { useStore } from '../console/store.ts';

/** All operations, and the console in this tab, have the same token. */
export function TokenInput() {
  const token = useStore(accessToken);
  const id = useId();
  return (
    <p>
      <label htmlFor={id}>Access token</label>
      <input
        id={id}
        type="password"
        autoComplete="off"
        placeholder="If the service requires one"
        value={token ?? ''}
        onChange={(event) => setToken(event.target.value.trim() || undefined)}
      />
    </p>
  );
}
