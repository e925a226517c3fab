import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-sse';
import { inject } from 'vitest';
import { type Bodies, createBodies, errorBody, type UserRecord } from '../setup/bodies.ts';
import { newPerson } from '../setup/test-data.ts';

const [apiUrl, graphqlUrl] = [inject('apiUrl'), inject('graphqlUrl')];
const { AUTH_TOKEN } = process.env;

export type Reply = { status: number; headers: Record<string, string>; text: string; json: unknown };
type RequestOptions = { body?: unknown; headers?: Record<string, string> };

async function request(method: string, url: string, options: RequestOptions): Promise<Reply> {
  const reply = await requestOnce(method, url, options);
  const isBusy = reply.status === 503 || reply.text.includes('"SERVICE_UNAVAILABLE"');
  return isBusy && isRepeatable(method, options) ? request(method, url, options) : reply;
}

function isRepeatable(method: string, { body, headers }: RequestOptions): boolean {
  if (['GET', 'HEAD'].includes(method) || headers?.['idempotency-key'] !== undefined) return true;
  const { query, variables } = Object(body);
  return String(query).startsWith('query') || variables?.input?.idempotencyKey !== undefined;
}

/** Sends again after 503. Callers must accept 404 or 412, because an earlier attempt may have succeeded. */
export async function sendUntilDone(send: () => Promise<Reply>): Promise<Reply> {
  const reply = await send();
  return reply.status === 503 ? sendUntilDone(send) : reply;
}

async function requestOnce(method: string, url: string, { body, headers = {} }: RequestOptions): Promise<Reply> {
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

const createdIds = new Set<string>();

export async function deleteCreatedUsers(): Promise<void> {
  await Promise.all([...createdIds].map((id) => send('DELETE', `/v1/users/${id}`)));
}

function createRestClient({ path, user, users }: Bodies) {
  const at = (id: string) => `${path}/${encodeURIComponent(id)}`;
  const client = {
    path,
    list: (query: Record<string, string> = {}) => send('GET', `${path}?${new URLSearchParams(query)}`),
    get: (id: string, headers = {}) => send('GET', at(id), { headers }),
    async create(body: unknown, headers = {}) {
      const reply = await send('POST', path, { body, headers });
      if (reply.status === 201) createdIds.add(client.parseUser(reply).id);
      return reply;
    },
    replace: (id: string, body: unknown, headers = {}) => send('PUT', at(id), { body, headers }),
    update: (id: string, body: unknown, headers = {}) => send('PATCH', at(id), { body, headers }),
    remove: (id: string, headers = {}) => send('DELETE', at(id), { headers }),
    parseUser: ({ json }: Reply): UserRecord => user.parse(json),
    parseUsers: ({ json }: Reply): UserRecord[] => users.parse(json),
    newUser: async (fields: Partial<Omit<UserRecord, 'id'>> = {}): Promise<UserRecord> =>
      client.parseUser(await client.create({ ...newPerson(), ...fields }, { 'idempotency-key': randomUUID() })),
    read: async (id: string): Promise<UserRecord> => client.parseUser(await client.get(id)),
  };
  return client;
}

export type RestClient = ReturnType<typeof createRestClient>;
const bodies = createBodies(inject('ownFields'));
export const enveloped = createRestClient(bodies.enveloped);
export const bare = createRestClient(bodies.bare);
export const restClients = [enveloped, bare];

export const parseError = ({ json }: Reply) => errorBody.parse(json);

type GraphqlError = { message: string; extensions: { code: string } };

export type GraphqlReply<Data> = Reply & { data?: Data | null; errors?: GraphqlError[] };

export async function graphql<Data>(
  query: string,
  variables: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<GraphqlReply<Data>> {
  const reply = await request('POST', graphqlUrl, { body: { query, variables }, headers });
  return { ...reply, ...(reply.json as Pick<GraphqlReply<Data>, 'data' | 'errors'>) };
}

export const sendGraphql = (method: string, sent: RequestOptions) => request(method, graphqlUrl, sent);

const payloadSelection = (mutation: string) => {
  if (mutation.startsWith('delete')) return 'id';
  return mutation.endsWith('Post') ? 'post { id title publishedAt author { id } }' : 'user { id name email version }';
};

export async function mutate<Payload>(mutation: string, input: Record<string, unknown>) {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
  const document = `mutation ($input: ${type}!) { payload: ${mutation}(input: $input) { ${payloadSelection(mutation)} } }`;
  const { data, errors = [] } = await graphql<{ payload: Payload & { user?: { id: string } } }>(document, { input });
  if (mutation === 'createUser' && data?.payload?.user) createdIds.add(data.payload.user.id);
  return { payload: data?.payload, codes: errors.map(({ extensions }) => extensions.code) };
}

export const subscriptions = createClient({
  url: graphqlUrl,
  headers: AUTH_TOKEN ? { authorization: `Bearer ${AUTH_TOKEN}` } : {},
  // Retries without a limit, because a stream that failed to open may count against the stream limit for 90 s.
  retryAttempts: Number.POSITIVE_INFINITY,
  retry: () => sleep(2_000),
});
