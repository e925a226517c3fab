import * as z from 'zod/mini';
import { isUserId, normalizeId } from '../../lib/dynamodb/keys.ts';
import { ServiceError } from '../../lib/errors.ts';
import { parseInput, shorten } from '../../lib/input/parsing.ts';
import { valueSchema } from '../../lib/users/fields/value-schema.ts';
import { type Membership, membershipField } from '../../lib/users/fields/values.ts';
import { describeReference, type GroupReference } from './group-references.ts';
import { type Row, type RowIssue, toRowIssue, type UserRow } from './rows.ts';

/** A group that a transfer has looked up. */
export type KnownGroup = { id: string; externalId: string | null };

export type GroupNames = { ids: readonly string[]; externalIds: readonly string[] };

/** Returns the groups with these ids or external ids. Skips names that no group has. */
export type FindGroups = (names: GroupNames) => Promise<KnownGroup[]>;

/** Names in memory. A full index forgets all of them. */
const MAX_KNOWN = 100_000;

/** Remembers the groups that a transfer has looked up, and the names that no group has. */
export class GroupIndex {
  readonly #find: FindGroups;
  readonly #byId = new Map<string, KnownGroup | undefined>();
  readonly #byExternalId = new Map<string, KnownGroup | undefined>();

  constructor(find: FindGroups) {
    this.#find = find;
  }

  /** Looks up names that are not known yet. */
  async load({ ids, externalIds }: GroupNames): Promise<void> {
    if (this.#byId.size + this.#byExternalId.size > MAX_KNOWN) {
      this.#byId.clear();
      this.#byExternalId.clear();
    }
    const names = {
      ids: [...new Set(ids)].filter((id) => !this.#byId.has(id)),
      externalIds: [...new Set(externalIds)].filter((externalId) => !this.#byExternalId.has(externalId)),
    };
    if (names.ids.length + names.externalIds.length === 0) return;
    const groups = await this.#find(names);
    for (const id of names.ids) this.#byId.set(id, undefined);
    for (const externalId of names.externalIds) this.#byExternalId.set(externalId, undefined);
    for (const group of groups) this.add(group);
  }

  add(group: KnownGroup): void {
    this.#byId.set(group.id, group);
    if (group.externalId !== null) this.#byExternalId.set(group.externalId, group);
  }

  findById = (id: string): KnownGroup | undefined => this.#byId.get(id);

  /** Returns the groups with this id or external id. There may be two. */
  findAll({ id, externalId }: GroupReference): KnownGroup[] {
    const found = [
      id === undefined ? undefined : this.#byId.get(normalizeId(id)),
      this.#byExternalId.get(externalId ?? id ?? ''),
    ];
    return [...new Set(found)].filter((group) => group !== undefined);
  }
}

/** Rows that are looked up at once. */
const PART = { rows: 100, characters: 1_000_000 };

/** Replaces the names of groups by their ids. A row with an unknown name gets an issue. */
export async function* resolveMemberships(rows: AsyncIterable<Row>, index: GroupIndex): AsyncGenerator<Row> {
  for await (const { part, error } of splitRows(rows)) {
    await index.load(listNames(part));
    for (const row of part) yield resolveRow(row, index);
    if (error) throw error.cause;
  }
}

/** `error`: why the rows after `part` could not be read. */
async function* splitRows(rows: AsyncIterable<Row>): AsyncGenerator<{ part: Row[]; error?: { cause: unknown } }> {
  let part: Row[] = [];
  let characters = 0;
  try {
    for await (const row of rows) {
      part.push(row);
      characters += row.size;
      if (part.length < PART.rows && characters < PART.characters) continue;
      yield { part };
      [part, characters] = [[], 0];
    }
  } catch (cause) {
    yield { part, error: { cause } };
    return;
  }
  yield { part };
}

function listNames(rows: readonly Row[]): GroupNames {
  const references = rows.flatMap((row) => (row.issues ? [] : (row.memberships?.references ?? [])));
  return {
    ids: references.flatMap(({ id }) => (id !== undefined && isUserId(normalizeId(id)) ? normalizeId(id) : [])),
    externalIds: references.map(({ id, externalId }) => externalId ?? id ?? ''),
  };
}

function resolveRow(row: Row, index: GroupIndex): Row {
  if (row.issues || !row.memberships || !membershipField) return row;
  const { memberships, ...rest } = row;
  const { line, size } = row;
  const { name } = membershipField;
  const found = memberships.references.map((reference) => ({ reference, groups: index.findAll(reference) }));
  const issues = found.flatMap(({ reference, groups }): RowIssue[] =>
    groups.length === 1 ? [] : [{ column: memberships.column, message: describeUnclear(reference, groups) }],
  );
  if (issues.length > 0) return { line, size, issues };
  const value = found.map(({ reference: { role }, groups }) => ({
    id: groups[0]?.id,
    ...(role === undefined ? {} : { role }),
  }));
  try {
    const checked = parseInput(z.object({ [name]: valueSchema(membershipField) }), { [name]: value });
    return { ...rest, user: { ...row.user, ...checked } } satisfies UserRow;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const columns = new Map([[name, memberships.column]]);
    return { line, size, issues: (error.issues ?? []).map((issue) => toRowIssue(issue, columns)) };
  }
}

const MAX_NAME_BYTES = 100;

function describeUnclear(reference: GroupReference, groups: readonly KnownGroup[]): string {
  const named = shorten(describeReference(reference), MAX_NAME_BYTES);
  if (groups.length > 1) return `${named} is the id of one group, and the externalId of another`;
  const roles =
    reference.id?.includes(':') && membershipField?.roles ? `. Roles are ${membershipField.roles.join(', ')}` : '';
  return `the group ${named} does not exist${roles}`;
}

type WithMemberships = { groups?: readonly Membership[] | null };

/** `onLeftOut` receives the number of memberships that were left out. */
type NameOptions = { index: GroupIndex; onLeftOut: (count: number) => void };

/** Names the groups of all users, like `nameGroups`. */
export async function* nameMemberships<User extends object>(
  users: AsyncIterable<User>,
  options: NameOptions,
): AsyncGenerator<User> {
  let part: User[] = [];
  for await (const user of users) {
    part.push(user);
    if (part.length < PART.rows) continue;
    yield* await nameGroups(part, options);
    part = [];
  }
  yield* await nameGroups(part, options);
}

/**
 * Replaces ids of groups by external ids, if they have one. Leaves out memberships of groups that do not exist, because
 * an import would reject them.
 */
export async function nameGroups<User extends object>(
  users: readonly User[],
  { index, onLeftOut }: NameOptions,
): Promise<User[]> {
  const list = ({ groups }: WithMemberships): readonly Membership[] => groups ?? [];
  await index.load({ ids: users.flatMap((user) => list(user).map(({ id }) => id)), externalIds: [] });
  return users.map((user) => {
    const memberships = list(user);
    if (memberships.length === 0) return user;
    const groups = memberships.flatMap(({ id, role }): GroupReference[] => {
      const group = index.findById(id);
      if (!group) return [];
      return [{ ...(group.externalId === null ? { id } : { externalId: group.externalId }), role }];
    });
    if (groups.length < memberships.length) onLeftOut(memberships.length - groups.length);
    return { ...user, groups };
  });
}
