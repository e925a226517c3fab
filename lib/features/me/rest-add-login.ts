import type * as z from 'zod/mini';
import type { RestOperation } from '../../rest/operation.ts';
import { JSON_TYPE } from '../../rest/requests.ts';
import type { User } from '../../users/user.ts';
import { addLoginInput } from './input.ts';
import type { Person } from './person.ts';
import { ownRecord, parseBody, parseCallingPerson, renderMe } from './rest-own-record.ts';

type Request = { person: Person; input: z.infer<typeof addLoginInput> };

export const addLoginOperation = {
  ...ownRecord,
  path: '/me/logins',
  pathMethods: ['POST'],
  method: 'POST',
  status: 200,
  needsLogins: true,
  verifiesTokens: true,
  // DeleteItem: like each update, it removes outdated index entries.
  grant: { table: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'] },
  body: { schema: addLoginInput, mediaTypes: [JSON_TYPE] },
  read: (event) => ({ person: parseCallingPerson(event), input: parseBody(addLoginInput, event) }),
  render: (user, _, format) => renderMe(user, format),
} as const satisfies RestOperation<Request, User>;
