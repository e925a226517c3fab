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
import { listMatches } from './search.ts';

/** The own fields stand beside these, by name. */
export type UserInput = { name: string; email: string } & Record<string, Value>;
export type ListedUser = { id: string } & UserInput;
export type SavedUser = ListedUser & { version: number };
export type User = SavedUser & { createdAt: string; updatedAt: string };

/** Filters, search and sort of a list. Empty for all users by creation. All conditions apply. */
export type Conditions = {
  q?: string;
  filter: Filter;
  sort?: string;
  /** Undefined where the API has one order only, such as by the matched text. */
  order?: Order;
};

/** A page of all users has a number. A page of matches continues after a cursor. */
export type ListRequest = { limit: number } & ({ page: number; order: Order } | (Conditions & { after?: string }));

/** `total` is unknown for matches. `next` continues them. */
export type UserList = { users: ListedUser[]; total?: number; next?: string };

/** Decides as the API does: accents do not count. */
export const isSearch = (q: string): boolean => findIssue(q) === undefined;

export const isTooShort = (q: string): boolean => q !== '' && !isSearch(q);

const names = new Map<string, string>();

/** Keeps the names of users who were shown: a deletion tells only the id. */
export function rememberName<Named extends { id: string; name: string }>(user: Named): Named {
  names.set(user.id, user.name);
  return user;
}

/** Returns undefined for a user who was not on this page. */
export const recallName = (id: string): string | undefined => names.get(id);

/** The members of a user are those that the settings declare. */
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

/** Counts the users that a filter finds. Undefined if the service does not count them. */
export const countMatches = async (filter: Filter, signal?: AbortSignal): Promise<number | undefined> =>
  client.users.count(filter, { signal });

/** Nothing on the page names a person who was erased. */
export const forgetName = (id: string): boolean => names.delete(id);

let latestId = '';

/** Ids begin with the time of the creation: the latest stands for all before. */
export function rememberCreated(id: string): void {
  if (id > latestId) latestId = id;
}

/** Returns whether the user was created before one that this page has created, after which it has read its lists again. */
export const isOlderThanCreated = (id: string): boolean => id <= latestId;

/** Creates a user. The same key again returns the user that the first request created. */
export async function createUser(input: UserInput, idempotencyKey: string): Promise<SavedUser> {
  requireJson(input);
  const user = toSaved(await client.users.create(withDefaults(input), { idempotencyKey }));
  rememberCreated(user.id);
  return user;
}

/** The form shows the defaults of required fields, but the API asks for their values. */
function withDefaults(input: UserInput): UserInput {
  const members = Object.entries(input).filter(([, value]) => value !== null);
  const defaults = ownFields.get().flatMap((field) => (field.required ? [[field.name, field.default]] : []));
  return { ...Object.fromEntries(defaults), ...Object.fromEntries(members) };
}

/** Changes the given fields of a user that is at the version. */
export async function updateUser(base: SavedUser, changes: Partial<UserInput>): Promise<SavedUser> {
  requireJson(changes);
  return toSaved(await client.users.update(base, changes));
}

/** Throws BAD_USER_INPUT, as the API does, if the text of a field is not JSON. */
function requireJson(input: Partial<UserInput>): void {
  const issues = Object.entries(input).flatMap(([name, value]) => {
    const message = describeInvalidJson(value);
    return message === undefined ? [] : [{ path: [name], message }];
  });
  const text = issues.map(({ path, message }) => `${path} ${message}`).join('; ');
  if (issues.length > 0) throw new ClientError(400, text, { code: 'BAD_USER_INPUT', issues });
}

/** The deletion is made even if the page is left meanwhile. */
export const deleteUser = (user: SavedUser): Promise<void> => lastingClient.users.delete(user);

/** REST leaves out the fields without a value, which the user may have had before. */
function toSaved(user: ServiceUser): SavedUser {
  const unset = ownFields.get().map(({ name }) => [name, null]);
  return { ...Object.fromEntries(unset), ...user };
}

/** What a document returns, once it selects the own fields of each user, too. */
export type WithOwnFields<Data> = Data extends UserFieldsFragment
  ? User
  : Data extends object
    ? { [Member in keyof Data]: WithOwnFields<Data[Member]> }
    : Data;

/** Completes a document with the fields of a user. The own ones are known once the settings are loaded. */
export const withUserFields = <Data, Variables>(
  document: TypedDocument<Data, Variables>,
): TypedDocument<WithOwnFields<Data>, Variables> =>
  appendUserFields(
    document,
    ownFields.get().map(({ name }) => name),
  ) as TypedDocument<WithOwnFields<Data>, Variables>; // It selects them.

const GET_USER: TypedDocument<GetUserQuery, GetUserQueryVariables> = `query GetUser($id: ID!) {
  user(id: $id) {
    ...UserFields
  }
}`;

/** Returns null if there is no such user. */
export async function getUser(id: string, signal?: AbortSignal): Promise<User | null> {
  const { user } = await client.graphql(withUserFields(GET_USER), { id }, { signal });
  return user && rememberName(user);
}
