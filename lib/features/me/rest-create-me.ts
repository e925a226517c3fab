import type * as z from 'zod/mini';
import type { RestOperation } from '../../rest/operation.ts';
import { JSON_TYPE } from '../../rest/requests.ts';
import type { User } from '../../users/user.ts';
import { createMeInput } from './input.ts';
import type { Person } from './person.ts';
import { ownRecord, parseBody, parseCallingPerson, renderMe } from './rest-own-record.ts';

type Request = { person: Person; input: z.infer<typeof createMeInput> };

export const createMeOperation = {
  ...ownRecord,
  method: 'POST',
  status: 201,
  verifiesTokens: true,
  grant: { table: ['GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'] },
  body: { schema: createMeInput, mediaTypes: [JSON_TYPE] },
  read: (event) => ({ person: parseCallingPerson(event), input: parseBody(createMeInput, event) }),
  render(user, _, format) {
    const { body, headers } = renderMe(user, format);
    return { body, headers: { ...headers, location: `${format.path}/me` } };
  },
  describeError: ({ reason }, path) => (reason === 'SUBJECT_TAKEN' ? { location: `${path}/me` } : {}),
} as const satisfies RestOperation<Request, User>;
