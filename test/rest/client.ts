import { handler as createUser } from '../../functions/create-user.ts';
import { handler as deleteUser } from '../../functions/delete-user.ts';
import { handler as getUser } from '../../functions/get-user.ts';
import { handler as listUsers } from '../../functions/list-users.ts';
import { handler as replaceUser } from '../../functions/replace-user.ts';
import { handler as updateUser } from '../../functions/update-user.ts';
import { contextOf } from '../../infra/local/runtime.ts';
import { type OperationName, operations } from '../../lib/rest/operations.ts';
import { type Bodies, bareBodies, envelopedBodies, errorBody, type UserRecord } from '../setup/bodies.ts';
import { createRestEvent, type RequestOptions } from '../setup/event.ts';

export type Reply = { status: number; headers: Record<string, unknown>; text: string; json: unknown };
export type Headers = Record<string, string | undefined>;
export type RestClient = ReturnType<typeof doorOf>;

export const failureIn = ({ json }: Reply) => errorBody.parse(json);

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
function doorOf({ path, user, users }: Bodies) {
  const send = async (name: OperationName, sent: RequestOptions): Promise<Reply> => {
    const event = createRestEvent(operations[name].method, path, sent);
    const { statusCode = 0, headers = {}, body = '' } = await handlers[name](event, contextOf());
    return { status: statusCode, headers, text: body, json: body ? JSON.parse(body) : undefined };
  };
  const client = {
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
      return client.userIn(await client.create({ ...person(), ...fields }));
    },
    async read(id: string) {
      return client.userIn(await client.get(id));
    },
  };
  return client;
}

export const enveloped = doorOf(envelopedBodies);
export const bare = doorOf(bareBodies);

/** Both shapes of REST, for suites over them by describe.each. */
export const clients = [enveloped, bare];
