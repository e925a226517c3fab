import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createContext } from '../../../infra/local/runtime.ts';
import { allOperations, type RouteName, routes } from '../../../lib/rest/operations.ts';
import { type Bodies, createBodies, errorBody, type UserRecord } from '../../setup/bodies.ts';
import { createRestEvent, type Query, type RequestOptions } from '../../setup/event.ts';
import { newPerson } from '../../setup/test-data.ts';

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

export type Response = { status: number; headers: Record<string, unknown>; text: string; json: unknown };
export type Headers = Record<string, string | undefined>;
export type RestClient = ReturnType<typeof createClient>;

export const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';

export const parseError = ({ json }: Response) => errorBody.parse(json);

const handlers = new Map(
  await Promise.all(
    routes.map(async ({ name, functionName }): Promise<[RouteName, Handler]> => {
      const { handler } = await import(`../../../functions/${functionName}.ts`);
      return [name, handler];
    }),
  ),
);

function createClient({ path, user, users }: Bodies) {
  const send = async (name: RouteName, options: RequestOptions): Promise<Response> => {
    const operation = allOperations[name];
    const event = createRestEvent(operation.method, path, options, operation.path);
    const { statusCode = 0, headers = {}, body = '' } = (await handlers.get(name)?.(event, createContext())) ?? {};
    return { status: statusCode, headers, text: body, json: body ? JSON.parse(body) : undefined };
  };
  const client = {
    path,
    send,
    list: (query: Query = {}, headers: Headers = {}) => send('list-users', { query, headers }),
    get: (id: string, headers: Headers = {}) => send('get-user', { id, headers }),
    create: (body: unknown, headers: Headers = {}) => send('create-user', { body, headers }),
    replace: (id: string, body: unknown, headers: Headers = {}) => send('replace-user', { id, body, headers }),
    upsert: (query: Query, body: unknown, headers: Headers = {}) => send('upsert-user', { query, body, headers }),
    update: (id: string, body: unknown, headers: Headers = {}) => send('update-user', { id, body, headers }),
    remove: (id: string, headers: Headers = {}) => send('delete-user', { id, headers }),
    parseUser: ({ json }: Response) => user.parse(json),
    parseUsers: ({ json }: Response) => users.parse(json),
    async newUser(fields: Partial<UserRecord> = {}) {
      return client.parseUser(await client.create({ ...newPerson(), ...fields }));
    },
    async read(id: string) {
      return client.parseUser(await client.get(id));
    },
  };
  return client;
}

const bodies = createBodies();
export const enveloped = createClient(bodies.enveloped);
export const bare = createClient(bodies.bare);

export const clients = [enveloped, bare];
