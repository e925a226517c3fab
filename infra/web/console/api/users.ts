import { ClientError, type Order, type User as ServiceUser } from '../../../../lib/client/client.ts';
import { findIssue } from '../../../../lib/features/search/query.ts';
import { describeInvalidJson, ownFields, type Value } from '../own-fields.ts';
import { client, lastingClient } from './client.ts';
import { type Conditions, listMatches } from './search.ts';

/** As typed in a form. */
export type UserInput = { name: string; email: string } & Record<string, Value>;
/** Own fields without a value are missing. */
export type User = ServiceUser & UserInput;
export type UserVersion = Pick<User, 'id' | 'version'>;

/** Only the list of all users has numbered pages. */
export type ListRequest = { limit: number } & (
  | { page: number; order: Order }
  | (Conditions & { after?: string | undefined })
);

/** `total` is unknown for matches. `next` is a cursor. */
export type UserList = { users: User[]; total?: number | undefined; next?: string | undefined };

export const isSearch = (q: string): boolean => findIssue(q) === undefined;

export const isTooShort = (q: string): boolean => q !== '' && !isSearch(q);

/** Latest last. */
const names = new Map<string, string>();

/** More than the lists show. */
const MAX_NAMES = 1000;

/** Remembers the name for deletion events, which contain only the id. */
export function rememberName<Named extends { id: string; name: string }>(user: Named): Named {
  names.delete(user.id);
  names.set(user.id, user.name);
  const [oldest = ''] = names.keys();
  if (names.size > MAX_NAMES) names.delete(oldest);
  return user;
}

export const recallName = (id: string): string | undefined => names.get(id);

export const toUser = (user: ServiceUser): User => rememberName(user);

export async function listUsers(request: ListRequest, signal?: AbortSignal): Promise<UserList> {
  if ('filter' in request) {
    const { users, next } = await listMatches(request, { signal });
    return { users: users.map(toUser), next };
  }
  const { limit, page, order } = request;
  const { users, total } = await client.users.page({
    page,
    limit,
    signal,
    order: order === 'desc' ? order : undefined,
  });
  return { users: users.map(toUser), total };
}

/** Users to read at most for a number that the service does not count. */
const MAX_COUNTED = 200;

/** The service counts neither searches nor `changedSince`, so their users are read. Undefined for too many. */
export async function countMatches({ q, filter }: Conditions, signal?: AbortSignal): Promise<number | undefined> {
  if (!q && filter.changedSince === undefined) return client.users.count(filter, { signal });
  const { users, next } = await listMatches({ q, filter, limit: MAX_COUNTED }, { signal });
  return next === undefined ? users.length : undefined;
}

export const forgetName = (id: string): boolean => names.delete(id);

let latestId = '';

/** Stores the id of the newest user created by this page. Ids begin with the creation time. */
export function rememberCreated(id: string): void {
  if (id > latestId) latestId = id;
}

/** True if this page has created this or a newer user. The page then read its lists again, so they contain the user. */
export const isOlderThanCreated = (id: string): boolean => id <= latestId;

/** A repeated key returns the user of the first request. */
export async function createUser(input: UserInput, idempotencyKey: string): Promise<User> {
  requireJson(input);
  const user: User = await client.users.create(withDefaults(input), { idempotencyKey });
  rememberCreated(user.id);
  return user;
}

/** The form only shows defaults, but the API requires the values. */
function withDefaults(input: UserInput): UserInput {
  const members = Object.entries(input).filter(([, value]) => value !== null);
  const defaults = ownFields.get().flatMap((field) => (field.required ? [[field.name, field.default]] : []));
  return { ...Object.fromEntries(defaults), ...Object.fromEntries(members) };
}

/** Throws if `base` is not the current version. */
export async function updateUser(base: UserVersion, changes: Partial<UserInput>): Promise<User> {
  requireJson(changes);
  return client.users.update(base, changes);
}

function requireJson(input: Partial<UserInput>): void {
  const issues = Object.entries(input).flatMap(([name, value]) => {
    const message = describeInvalidJson(value);
    return message === undefined ? [] : [{ path: [name], message }];
  });
  const text = issues.map(({ path, message }) => `${path} ${message}`).join('; ');
  if (issues.length > 0) throw new ClientError(400, text, { code: 'BAD_USER_INPUT', issues });
}

export const deleteUser = (user: UserVersion): Promise<void> => lastingClient.users.delete(user);

export async function getUser(id: string, signal?: AbortSignal): Promise<User | null> {
  const user = await client.users.get(id, { signal });
  return user ? toUser(user) : null;
}
