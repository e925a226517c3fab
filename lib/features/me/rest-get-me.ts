import type { RestOperation } from '../../rest/operation.ts';
import { readIfMatch, renderUnlessCurrent } from '../../rest/requests.ts';
import type { Conditions } from '../../users/read.ts';
import type { User } from '../../users/user.ts';
import { issuerKey } from './keys.ts';
import type { Person } from './person.ts';
import { ownRecord, parseCallingPerson, renderMe } from './rest-own-record.ts';

type Request = { person: Person; conditions: Conditions; ifNoneMatch?: string | undefined };

export const getMeOperation = {
  ...ownRecord,
  method: 'GET',
  status: 200,
  // PutItem stores the issuer when the first record is found.
  grant: { table: ['GetItem', 'PutItem'], partitions: { PutItem: [issuerKey.pk] } },
  requestHeaders: ['If-Match', 'If-None-Match', 'If-Unmodified-Since'],
  read: (event) => ({
    person: parseCallingPerson(event),
    conditions: readIfMatch(event),
    ifNoneMatch: event.headers['if-none-match'],
  }),
  render: (user, { ifNoneMatch }, format) => renderUnlessCurrent(renderMe(user, format), ifNoneMatch),
} as const satisfies RestOperation<Request, User>;
