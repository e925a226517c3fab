import { exampleUser } from '../../users/example-user.ts';
import type { User } from '../../users/schema.ts';
import type { RestOperation } from '../operation.ts';
import { formatEtag, matchesEtag, parseIfMatch, readId } from '../requests.ts';
import { renderUser } from '../responses.ts';

type Request = { id: string; ifVersion: number[] | undefined; ifNoneMatch: string | undefined };

export const getUserOperation = {
  method: 'GET',
  path: '/{id}',
  summary: 'Get a user',
  description:
    'Returns the user and its version in `ETag`. Send that in `If-None-Match` to get the user again only when it has changed.',
  status: 200,
  scope: 'users:read',
  grant: { table: ['GetItem'] },
  requestHeaders: ['If-Match', 'If-None-Match'],
  response: { name: 'User', description: 'The user' },
  read: (event) => ({
    id: readId(event),
    ifVersion: parseIfMatch(event.headers['if-match']),
    ifNoneMatch: event.headers['if-none-match'],
  }),
  render: (user, { ifNoneMatch }, format) =>
    matchesEtag(ifNoneMatch, user.version)
      ? { status: 304, headers: { version: user.version } }
      : renderUser(user, format),
  examples: [
    { request: { id: exampleUser.id, ifVersion: undefined, ifNoneMatch: undefined }, result: exampleUser },
    {
      request: { id: exampleUser.id, ifVersion: undefined, ifNoneMatch: formatEtag(exampleUser.version) },
      result: exampleUser,
      description: 'The user is still at a version of If-None-Match',
    },
  ],
} as const satisfies RestOperation<Request, User>;
