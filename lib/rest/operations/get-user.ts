import type { User } from '../../users/user.ts';
import type { RestOperation } from '../operation.ts';
import { formatEtag, matchesEtag, parseIfMatch, parseIfUnmodifiedSince, readId } from '../requests.ts';
import { renderUser } from '../responses.ts';

type Request = {
  id: string;
  ifVersion?: number[] | undefined;
  ifUnmodifiedSince?: number | undefined;
  ifNoneMatch?: string | undefined;
};

export const getUserOperation = {
  method: 'GET',
  path: '/{id}',
  summary: 'Get a user',
  description:
    'Returns the user. Send its `ETag` as `If-None-Match` in later requests: the response is 304 without a body while the user is unchanged.',
  status: 200,
  right: 'read',
  grant: { table: ['GetItem'] },
  requestHeaders: ['If-Match', 'If-None-Match', 'If-Unmodified-Since'],
  response: { name: 'User', description: 'The user' },
  read: (event) => ({
    id: readId(event),
    ifVersion: parseIfMatch(event.headers['if-match']),
    ifUnmodifiedSince: parseIfUnmodifiedSince(event.headers),
    ifNoneMatch: event.headers['if-none-match'],
  }),
  render: (user, { ifNoneMatch }, format) => {
    const etag = formatEtag(user);
    return matchesEtag(ifNoneMatch, etag) ? { status: 304, headers: { etag } } : renderUser(user, format);
  },
} as const satisfies RestOperation<Request, User>;
