import { Button, PasswordInput, Stack } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { setToken } from './access-token.ts';

/** https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const TOKEN = /^[\w.~+/-]+=*$/;

/** Takes a token for a service that publishes no issuer where people can sign in. */
export function TokenForm() {
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
        description="A JWT with the scope users:read, and users:write for changes. It is kept until this tab is closed."
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
