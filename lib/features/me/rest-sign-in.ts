import type * as z from 'zod/mini';
import type { RestOperation } from '../../rest/operation.ts';
import { JSON_TYPE } from '../../rest/requests.ts';
import { signInInput } from './input.ts';
import type { Person } from './person.ts';
import { ownRecord, parseBody, parseCallingPerson, renderMe } from './rest-own-record.ts';
import type { SignedIn } from './sign-in.ts';

type Request = { person: Person; input: z.infer<typeof signInInput> };

export const signInOperation = {
  ...ownRecord,
  method: 'POST',
  path: '/me/sign-in',
  pathMethods: ['POST'],
  status: 200,
  verifiesTokens: true,
  grant: { table: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'] },
  body: { schema: signInInput, mediaTypes: [JSON_TYPE] },
  read: (event) => ({ person: parseCallingPerson(event), input: parseBody(signInInput, event) }),
  render({ user, outcome, emailConflict }, _, format) {
    const { body, headers } = renderMe(user, format);
    const isCreated = outcome === 'created';
    return {
      ...(isCreated ? { status: 201 } : {}),
      body,
      headers: {
        ...headers,
        signInOutcome: outcome,
        emailConflict,
        location: isCreated ? `${format.path}/me` : undefined,
      },
    };
  },
} as const satisfies RestOperation<Request, SignedIn>;
