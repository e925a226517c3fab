import {
  ClientError,
  type Order,
  type User as ServiceUser,
  type TypedDocument,
} from '../../../../lib/client/client.ts';
import { findIssue } from '../../../../lib/features/search/query.ts';
import { appendUserFields } from '../../../transfer/user-fields.ts';
import { describeInvalidJson, ownFields, type Value } from '../own-fields.ts';
import type { Filter } from '../route.ts';
import { client, lastingClient } from './client.ts';
import type { GetUserQuery, GetUserQueryVariables, UserFieldsFragment } from './document-types.ts';
import { type Conditions, listMatches } from './search.ts';

/** As typed in a form. */
export type UserInput = { name: string; email: string } & Record<string, Value>;
export type ListedUser = { id: string } & UserInput;
export type SavedUser = ListedUser & { version: number };
export type User = SavedUser & { createdAt: string; updatedAt: string };

/** Only the list of all users has numbered pages. */
export type ListRequest = { limit: number } & ({ page: number; order: Order } | (Conditions & { after?: string }));

/** `total` is unknown for matches. `next` is a cursor. */
export type UserList = { users: ListedUser[]; total?: number; next?: string };

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

/** Cast: the API returns the declared own fields. */
export const toListed = (user: ServiceUser) => rememberName(user as unknown as ListedUser);

export async function listUsers(request: ListRequest, signal?: AbortSignal): Promise<UserList> {
  if ('filter' in request) {
    const { users, ...next } = await listMatches(request, signal);
    return { users: users.map(toListed), ...next };
  }
  const { limit, page, order } = request;
  const { users, total } = await client.users.page({ page, limit, signal, ...(order === 'desc' ? { order } : {}) });
  return { users: users.map(toListed), total };
}

/** Undefined if the service does not count. */
export const countMatches = async (filter: Filter, signal?: AbortSignal): Promise<number | undefined> =>
  client.users.count(filter, { signal });

export const forgetName = (id: string): boolean => names.delete(id);

let latestId = '';

/** Stores the id of the newest user created by this page. Ids begin with the creation time. */
export function rememberCreated(id: string): void {
  if (id > latestId) latestId = id;
}

/** True if this page has created this or a newer user. The page then read its lists again, so they contain the user. */
export const isOlderThanCreated = (id: string): boolean => id <= latestId;

/** A repeated key returns the user of the first request. */
export async function createUser(input: UserInput, idempotencyKey: string): Promise<SavedUser> {
  requireJson(input);
  const user = toSaved(await client.users.create(withDefaults(input), { idempotencyKey }));
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
export async function updateUser(base: SavedUser, changes: Partial<UserInput>): Promise<SavedUser> {
  requireJson(changes);
  return toSaved(await client.users.update(base, changes));
}

function requireJson(input: Partial<UserInput>): void {
  const issues = Object.entries(input).flatMap(([name, value]) => {
    const message = describeInvalidJson(value);
    return message === undefined ? [] : [{ path: [name], message }];
  });
  const text = issues.map(({ path, message }) => `${path} ${message}`).join('; ');
  if (issues.length > 0) throw new ClientError(400, text, { code: 'BAD_USER_INPUT', issues });
}

export const deleteUser = (user: SavedUser): Promise<void> => lastingClient.users.delete(user);

/** Sets missing own fields to null: REST omits them, so old values would remain. */
function toSaved(user: ServiceUser): SavedUser {
  const unset = ownFields.get().map(({ name }) => [name, null]);
  return { ...Object.fromEntries(unset), ...user };
}

export type WithOwnFields<Data> = Data extends UserFieldsFragment
  ? User
  : Data extends object
    ? { [Member in keyof Data]: WithOwnFields<Data[Member]> }
    : Data;

/** Adds the own fields to the selected fields of a user. Call it after the settings have loaded. */
export const withUserFields = <Data, Variables>(
  document: TypedDocument<Data, Variables>,
): TypedDocument<WithOwnFields<Data>, Variables> =>
  appendUserFields(
    document,
    ownFields.get().map(({ name }) => name),
  ) as TypedDocument<WithOwnFields<Data>, Variables>; // The document selects the own fields.

const GET_USER: TypedDocument<GetUserQuery, GetUserQueryVariables> = `query GetUser($id: ID!) {
  user(id: $id) {
    ...UserFields
  }
}`;

export async function getUser(id: string, signal?: AbortSignal): Promise<User | null> {
  const { user } = await client.graphql(withUserFields(GET_USER), { id }, { signal });
  return user && rememberName(user);
}
