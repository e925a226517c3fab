import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { type Bodies, bareBodies, envelopedBodies, errorBody, type UserRecord } from '../setup/bodies.ts';

const [apiUrl, graphqlUrl] = [inject('apiUrl'), inject('graphqlUrl')];
const { AUTH_TOKEN } = process.env;

export type Reply = { status: number; headers: Record<string, string>; text: string; json: unknown };
type RequestOptions = { body?: unknown; headers?: Record<string, string> };

/** Sends a body that is no string as JSON. */
async function request(method: string, url: string, { body, headers = {} }: RequestOptions): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(AUTH_TOKEN ? { authorization: `Bearer ${AUTH_TOKEN}` } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    json: isJson && text ? JSON.parse(text) : undefined,
  };
}

export const send = (method: string, path: string, sent: RequestOptions = {}) => request(method, apiUrl + path, sent);

const made = new Set<string>();

/** Deletes what the file made and has not deleted itself. */
export async function deleteMade(): Promise<void> {
  await Promise.all([...made].map((id) => send('DELETE', `/v1/users/${id}`)));
}

/** Somebody whom no store has. */
export function person() {
  const unique = randomUUID();
  return { name: `Contract ${unique.slice(0, 8)}`, email: `contract+${unique}@example.org` };
}

function doorOf({ path, user, users }: Bodies) {
  const at = (id: string) => `${path}/${encodeURIComponent(id)}`;
  const door = {
    path,
    list: (query: Record<string, string> = {}) => send('GET', `${path}?${new URLSearchParams(query)}`),
    get: (id: string, headers = {}) => send('GET', at(id), { headers }),
    async create(body: unknown, headers = {}) {
      const reply = await send('POST', path, { body, headers });
      if (reply.status === 201) made.add(door.userIn(reply).id);
      return reply;
    },
    replace: (id: string, body: unknown, headers = {}) => send('PUT', at(id), { body, headers }),
    update: (id: string, body: unknown, headers = {}) => send('PATCH', at(id), { body, headers }),
    remove: (id: string, headers = {}) => send('DELETE', at(id), { headers }),
    userIn: ({ json }: Reply): UserRecord => user.parse(json),
    usersIn: ({ json }: Reply): UserRecord[] => users.parse(json),
    newUser: async (): Promise<UserRecord> => door.userIn(await door.create(person())),
    read: async (id: string): Promise<UserRecord> => door.userIn(await door.get(id)),
  };
  return door;
}

export type RestClient = ReturnType<typeof doorOf>;
export const enveloped = doorOf(envelopedBodies);
export const bare = doorOf(bareBodies);
export const doors = [enveloped, bare];

export const failureIn = ({ json }: Reply) => errorBody.parse(json);

type GraphqlError = { message: string; extensions: { code: string } };

/** `Data` is what the operation selects: the schema, which the server keeps, is what makes it so. */
export type Answer<Data> = Reply & { data?: Data | null; errors?: GraphqlError[] };

export async function graphql<Data>(
  query: string,
  variables: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer<Data>> {
  const reply = await request('POST', graphqlUrl, { body: { query, variables }, headers });
  return { ...reply, ...(reply.json as Pick<Answer<Data>, 'data' | 'errors'>) };
}

export const sendGraphql = (method: string, sent: RequestOptions) => request(method, graphqlUrl, sent);

const payloadOf = (mutation: string) => {
  if (mutation.startsWith('delete')) return 'id';
  return mutation.endsWith('Post') ? 'post { id title publishedAt author { id } }' : 'user { id name email version }';
};

/** Runs a mutation; where it is refused, `code` is that of the only error. */
export async function mutate<Payload>(mutation: string, input: Record<string, unknown>) {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
  const document = `mutation ($input: ${type}!) { payload: ${mutation}(input: $input) { ${payloadOf(mutation)} } }`;
  const { data, errors = [] } = await graphql<{ payload: Payload & { user?: { id: string } } }>(document, { input });
  if (mutation === 'createUser' && data?.payload?.user) made.add(data.payload.user.id);
  return { payload: data?.payload, codes: errors.map(({ extensions }) => extensions.code) };
}
