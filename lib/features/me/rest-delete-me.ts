import type { RestOperation } from '../../rest/operation.ts';
import type { Person } from './person.ts';
import type { MeConditions } from './read.ts';
import { ownRecord, parseMeConditions, readCallingPerson } from './rest-own-record.ts';

type Request = { person: Person; conditions: MeConditions };

export const deleteMeOperation = {
  ...ownRecord,
  method: 'DELETE',
  summary: 'Delete your own record',
  description:
    'Deletes the record of the person who signed in, if the service allows it; otherwise 405. Requires a sign-in within the last 15 minutes. The person can create a new record after 24 hours.',
  status: 204,
  grant: { table: ['GetItem', 'PutItem', 'DeleteItem'] },
  requestHeaders: ['If-Match', 'If-None-Match'],
  read: (event) => ({ person: readCallingPerson(event), conditions: parseMeConditions(event.headers) }),
  render: () => ({}),
} as const satisfies RestOperation<Request, { id: string }>;
