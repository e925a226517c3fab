import { randomUUID } from 'node:crypto';
import type { Issuer } from '../../auth/issuer.ts';

export type Answer = { status: number; headers: Headers; body: unknown };
type Options = { method?: string; body?: unknown; headers?: Record<string, string> };

export function createCaller(url: string, token: string) {
  const authorization = `Bearer ${token}`;
  async function send(path: string, { method = 'GET', body, headers = {} }: Options = {}): Promise<Answer> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization,
        accept: 'application/problem+json, application/json;q=0.9',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
  }
  return {
    authorization,
    send,
    async graphql(query: string, variables: object = {}): Promise<unknown> {
      return (await send('/graphql', { method: 'POST', body: { query, variables }, headers: { accept: '*/*' } })).body;
    },
  };
}

/** Creates a person. `claims` override the token's default claims. */
export async function newPerson(url: string, issuer: Issuer, claims: object = {}) {
  const name = randomUUID();
  const subject = `auth0|${name}`;
  const email = `${name}@example.org`;
  const sign = (others: object = {}) =>
    issuer.sign({ sub: subject, scope: 'users:self', email, email_verified: true, ...claims, ...others });
  return { subject, email, sign, ...createCaller(url, await sign()) };
}

/** Creates a caller with all rights of operators. `claims` override the token's default claims. */
export const newOperator = async (url: string, issuer: Issuer, claims: object = {}) =>
  createCaller(
    url,
    await issuer.sign({
      sub: 'operator',
      groups: ['users-write'],
      scope: 'users:read users:write users:history users:erase',
      ...claims,
    }),
  );

export type Person = Awaited<ReturnType<typeof newPerson>>;
