import * as z from 'zod/mini';
import { findIssue } from '../../../../lib/users/search/text.ts';
import { listMembers, ownFields, type Value } from '../own-fields.ts';
import { type ApiResponse, parseBody, send, sendGraphql } from './send.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);
/** The own fields of a user, by name. */
export const value = z.nullable(z.union([scalar, z.array(scalar)]));

const listedUser = z.catchall(z.object({ id: z.string(), name: z.string(), email: z.string() }), value);

export type ListedUser = z.infer<typeof listedUser>;
export type Order = 'asc' | 'desc';

/** A page has a number; a page of the matches of a search continues after a cursor. */
export type ListRequest = { limit: number } & (
  | { page: number; order: Order }
  | { q: string; after?: string }
  | { by: string; value: string }
);

/** `total` is unknown for a search, and by a unique field. `next` continues a search. */
export type UserList = { users: ListedUser[]; total?: number; next?: string };

/** Decides as the API does: accents do not count. */
export const isSearch = (q: string): boolean => findIssue(q) === undefined;

export const isTooShort = (q: string): boolean => q !== '' && !isSearch(q);

export async function listUsers(request: ListRequest, signal?: AbortSignal): Promise<UserList> {
  const response = await send({ method: 'GET', path: `/v1/users?${toQuery(request)}` }, signal);
  const total = 'page' in request ? response.headers.get('x-total-count') : null;
  const next = findNext(response.headers.get('link'));
  return {
    users: parseBody(z.array(listedUser), response),
    ...(total === null ? {} : { total: Number(total) }),
    ...(next === undefined ? {} : { next }),
  };
}

function toQuery(request: ListRequest): URLSearchParams {
  if ('by' in request) return new URLSearchParams({ [request.by]: request.value });
  const parameters = Object.entries(request).filter(([name, value]) => !(name === 'order' && value === 'asc'));
  return new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]));
}

/** Returns the `after` of the link to the next page (RFC 8288). */
function findNext(link: string | null): string | undefined {
  const target = /<([^>]*)>;\s*rel="?next"?/.exec(link ?? '')?.[1];
  return target ? (new URL(target, location.href).searchParams.get('after') ?? undefined) : undefined;
}

export type UserInput = { name: string; email: string } & Record<string, Value>;
export type SavedUser = ListedUser & { version: number };

const createdIds = new Set<string>();

/** Returns whether the user was created on this page. */
export const isCreatedHere = (id: string): boolean => createdIds.has(id);

/** Creates a user. The same key again returns the user that the first request created. */
export async function createUser(input: UserInput, idempotencyKey: string): Promise<SavedUser> {
  const headers = { 'idempotency-key': idempotencyKey };
  const user = toSavedUser(await send({ method: 'POST', path: '/v1/users', headers, body: withDefaults(input) }));
  createdIds.add(user.id);
  return user;
}

/** The form shows the defaults of required fields, but the API asks for their values. */
function withDefaults(input: UserInput): Record<string, Value> {
  const members = Object.entries(input).filter(([, value]) => value !== null);
  const defaults = ownFields.get().flatMap((field) => (field.required ? [[field.name, field.default]] : []));
  return { ...Object.fromEntries(defaults), ...Object.fromEntries(members) };
}

/** Changes the given fields of a user that is at the version. */
export async function updateUser(id: string, version: number, fields: Partial<UserInput>): Promise<SavedUser> {
  const headers = ifVersion(version);
  return toSavedUser(await send({ method: 'PATCH', path: `/v1/users/${id}`, headers, body: fields }));
}

export async function deleteUser(id: string, version: number): Promise<void> {
  await send({ method: 'DELETE', path: `/v1/users/${id}`, headers: ifVersion(version) });
}

function toSavedUser(response: ApiResponse): SavedUser {
  const saved = parseBody(listedUser, response);
  // REST leaves out the fields without a value, which the user may have had before.
  const unset = ownFields.get().map(({ name }) => [name, null]);
  const version = Number(response.headers.get('etag')?.replaceAll('"', ''));
  return { ...Object.fromEntries(unset), ...saved, version };
}

const ifVersion = (version: number) => ({ 'if-match': `"${version}"` });

export const user = z.extend(listedUser, { createdAt: z.string(), updatedAt: z.string(), version: z.number() });

export type User = z.infer<typeof user>;

/** An operation that spreads this fragment appends it. */
export const describeUserFields = (): string => `
fragment UserFields on User {
  ${['id', ...listMembers(), 'createdAt', 'updatedAt', 'version'].join('\n  ')}
}`;

const GET_USER = `query GetUser($id: ID!) {
  user(id: $id) {
    ...UserFields
  }
}`;

/** Returns null if there is no such user. */
export async function getUser(id: string, signal?: AbortSignal): Promise<User | null> {
  const data = await sendGraphql(
    `${GET_USER}\n${describeUserFields()}`,
    z.object({ user: z.nullable(user) }),
    { id },
    signal,
  );
  return data.user;
}
