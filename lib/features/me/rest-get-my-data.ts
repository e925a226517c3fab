import type { RestOperation } from '../../rest/operation.ts';
import type { MyData } from './data.ts';
import { issuerKey, PERSON_PARTITIONS } from './keys.ts';
import type { Person } from './person.ts';
import { ownRecord, parseCallingPerson } from './rest-own-record.ts';

type Request = { person: Person };

export const getMyDataOperation = {
  ...ownRecord,
  path: '/me/data',
  pathMethods: ['GET', 'HEAD'],
  method: 'GET',
  status: 200,
  grant: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'],
    // PutItem stores the issuer, UpdateItem counts the download.
    partitions: { PutItem: [issuerKey.pk], UpdateItem: [PERSON_PARTITIONS] },
  },
  read: (event) => ({ person: parseCallingPerson(event) }),
  render: (data, _, format) => ({
    body: format.renderRecord(data),
    headers: { attachment: `${data.user.id}.json` },
  }),
} as const satisfies RestOperation<Request, MyData>;
