import * as z from 'zod';
import { handler as createUser } from '../../functions/create-user.ts';
import { handler as deleteUser } from '../../functions/delete-user.ts';
import { handler as getUser } from '../../functions/get-user.ts';
import { handler as listUsers } from '../../functions/list-users.ts';
import { handler as replaceUser } from '../../functions/replace-user.ts';
import { handler as updateUser } from '../../functions/update-user.ts';
import { contextOf } from '../../infra/local/runtime.ts';
import { type OperationName, operations } from '../../lib/rest/operations.ts';
import { restEvent, type Sent } from '../setup/event.ts';

export type Reply = { status: number; headers: Record<string, unknown>; text: string; json: unknown };
export type UserRecord = z.infer<typeof record>;
export type Headers = Record<string, string | undefined>;
export type Door = ReturnType<typeof doorOf>;

/** Strict: a member more than the contract names is a failure. */
const record = z.strictObject({ id: z.uuidv7(), name: z.string(), email: z.string() });
const issue = z.strictObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string().min(1) });
const failure = z.strictObject({ error: z.string().min(1), issues: z.array(issue).min(1).optional() });

/** The body of an error, which is the same in both shapes. */
export const failureIn = ({ json }: Reply) => failure.parse(json);

let people = 0;
/** Somebody with an address that nobody else in the file has. */
export const person = () => ({ name: `Person ${++people}`, email: `person${people}@example.org` });

const handlers = {
  'list-users': listUsers,
  'get-user': getUser,
  'create-user': createUser,
  'replace-user': replaceUser,
  'update-user': updateUser,
  'delete-user': deleteUser,
};

/** The handlers, called with the events of one shape's routes, and their bodies read as that shape's. */
function doorOf(path: string, user: z.ZodType<UserRecord>, users: z.ZodType<UserRecord[]>) {
  const send = async (name: OperationName, sent: Sent): Promise<Reply> => {
    const event = restEvent(operations[name].method, path, sent);
    const { statusCode = 0, headers = {}, body = '' } = await handlers[name](event, contextOf());
    return { status: statusCode, headers, text: body, json: body ? JSON.parse(body) : undefined };
  };
  const door = {
    path,
    send,
    list: (query: Record<string, string> = {}, headers: Headers = {}) => send('list-users', { query, headers }),
    get: (id: string, headers: Headers = {}) => send('get-user', { id, headers }),
    create: (body: unknown, headers: Headers = {}) => send('create-user', { body, headers }),
    replace: (id: string, body: unknown, headers: Headers = {}) => send('replace-user', { id, body, headers }),
    update: (id: string, body: unknown, headers: Headers = {}) => send('update-user', { id, body, headers }),
    remove: (id: string, headers: Headers = {}) => send('delete-user', { id, headers }),
    userIn: ({ json }: Reply) => user.parse(json),
    usersIn: ({ json }: Reply) => users.parse(json),
    async newUser(fields: Partial<UserRecord> = {}) {
      return door.userIn(await door.create({ ...person(), ...fields }));
    },
    async read(id: string) {
      return door.userIn(await door.get(id));
    },
  };
  return door;
}

export const enveloped = doorOf(
  '/api/users',
  z.strictObject({ data: record }).transform(({ data }) => data),
  z
    .strictObject({ data: z.array(record), meta: z.strictObject({ total: z.int() }) })
    .refine(({ data, meta }) => meta.total === data.length, 'meta.total is the length of the list')
    .transform(({ data }) => data),
);

export const bare = doorOf('/v1/users', record, z.array(record));

/** Both shapes of REST, for suites over them by describe.each. */
export const doors = [enveloped, bare];
