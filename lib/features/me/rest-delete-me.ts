import type { RestOperation } from '../../rest/operation.ts';
import { readConditions } from '../../rest/requests.ts';
import type { Conditions } from '../../users/read.ts';
import type { Person } from './person.ts';
import { ownRecord, parseCallingPerson } from './rest-own-record.ts';

type Request = { person: Person; conditions: Conditions };

export const deleteMeOperation = {
  ...ownRecord,
  method: 'DELETE',
  status: 204,
  grant: {
    // Erases earlier records of the person, too, with selfDelete=erase.
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
  },
  requestHeaders: ['If-Match', 'If-None-Match', 'If-Unmodified-Since'],
  read: (event) => ({ person: parseCallingPerson(event), conditions: readConditions(event) }),
  render: () => ({}),
} as const satisfies RestOperation<Request, { id: string }>;
