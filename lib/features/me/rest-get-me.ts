import type { RestOperation } from '../../rest/operation.ts';
import { matchesEtag } from '../../rest/requests.ts';
import type { User } from '../../users/user.ts';
import { issuerKey } from './keys.ts';
import type { Person } from './person.ts';
import type { MeTags } from './read.ts';
import { formatMeTag, ownRecord, parseCallingPerson, parseTags, renderMe } from './rest-own-record.ts';

type Request = { person: Person; ifMatch?: MeTags | undefined; ifNoneMatch?: string | undefined };

export const getMeOperation = {
  ...ownRecord,
  method: 'GET',
  summary: 'Get your own record',
  description:
    'Returns your record, without hidden fields. The response is 404 if you have none yet: create it with POST.',
  status: 200,
  // PutItem stores the issuer when the first record is found.
  grant: { table: ['GetItem', 'PutItem'], partitions: { PutItem: [issuerKey.pk] } },
  requestHeaders: ['If-Match', 'If-None-Match'],
  response: { name: 'Me', description: 'The record' },
  read: (event) => ({
    person: parseCallingPerson(event),
    ifMatch: parseTags('If-Match', event.headers),
    ifNoneMatch: event.headers['if-none-match'],
  }),
  render: (user, { ifNoneMatch }, format) => {
    const etag = formatMeTag(user);
    return matchesEtag(ifNoneMatch, etag) ? { status: 304, headers: { etag } } : renderMe(user, format);
  },
} as const satisfies RestOperation<Request, User>;
