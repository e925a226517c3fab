import type { User } from '../../users/schema.ts';
import { matchesEtag } from '../conditional-requests.ts';
import type { RestOperation } from '../operation.ts';
import { readId } from '../requests.ts';
import { renderUser } from '../responses.ts';

export const getUserOperation = {
  method: 'GET',
  path: '/{id}',
  summary: 'Get a user',
  status: 200,
  scope: 'users:read',
  requestHeaders: ['If-None-Match'],
  read: (event) => ({ id: readId(event), ifNoneMatch: event.headers['if-none-match'] }),
  render: (user, { ifNoneMatch }, format) =>
    matchesEtag(ifNoneMatch, user.version)
      ? { status: 304, headers: { version: user.version } }
      : renderUser(user, format),
} as const satisfies RestOperation<{ id: string; ifNoneMatch: string | undefined }, User>;
