import { randomUUID } from 'node:crypto';
import { readOptions } from '../../../infra/local/options.ts';
import { startService } from '../../../infra/local/service.ts';
import type { TokenSettings } from '../../../lib/auth/tokens.ts';

export type Answer = { status: number; challenge: string | null; retryAfter: string | null; body: unknown };
export type RestClient = { name: string; read(authorization?: string): Promise<Answer>; write: RestClient['read'] };

/** Call this once per test file, because functions read settings only on import. */
export const startServiceWithTokens = (tokens: TokenSettings) =>
  startService({ ...readOptions(['--port', '0', '--memory'], {}), tokens });

export async function call(url: string, authorization?: string, init: { body?: object; headers?: object } = {}) {
  const response = await fetch(url, {
    ...(init.body ? { method: 'POST', body: JSON.stringify(init.body) } : {}),
    headers: { 'content-type': 'application/json', ...(authorization ? { authorization } : {}), ...init.headers },
  });
  const { status, headers } = response;
  return {
    status,
    challenge: headers.get('www-authenticate'),
    retryAfter: headers.get('retry-after'),
    body: await response.json(),
  } satisfies Answer;
}

export const newUser = () => ({ name: 'Ada', email: `${randomUUID()}@example.com` });

export const createApiClients = (url: () => string): { rest: RestClient; graphql: RestClient } => {
  const graphql = (authorization: string | undefined, query: string, variables: object = {}) =>
    call(`${url()}/graphql`, authorization, { body: { query, variables } });
  return {
    rest: {
      name: 'REST',
      read: (authorization) => call(`${url()}/v1/users`, authorization),
      write: (authorization) => call(`${url()}/v1/users`, authorization, { body: newUser() }),
    },
    graphql: {
      name: 'GraphQL',
      read: (authorization) => graphql(authorization, '{ users(first: 1) { totalCount } }'),
      write: (authorization) =>
        graphql(authorization, 'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }', {
          input: newUser(),
        }),
    },
  };
};

export const UNAUTHENTICATED = {
  REST: { status: 401, body: { message: 'Unauthorized' } },
  GraphQL: { status: 401, body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] } },
};
export const FORBIDDEN = {
  REST: { status: 403, body: { message: 'Forbidden' } },
  GraphQL: { status: 403, body: { errors: [{ extensions: { code: 'FORBIDDEN' } }] } },
};
