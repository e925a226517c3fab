import { isDeepStrictEqual } from 'node:util';
import { createGraphqlEvent } from '../../setup/event.ts';
import type { NamesActor } from '../checks/actors.ts';
import { createIsErased } from '../checks/erasures.ts';
import { type Change, type Item, isRewrite, readFields } from '../database/store.ts';
import type { Handlers } from '../environment/service.ts';
import { invoke, type World } from '../environment/world.ts';
import { formatMemberships, type Role } from '../workload/memberships.ts';
import { DECLARATIONS, DEFAULTS } from '../workload/own-fields.ts';

const isWritten = (field: string) => !(field in DEFAULTS);
const MEMBERS = ['name', 'email', ...Object.keys(DECLARATIONS.current).filter(isWritten)];
const USER = `{ ${[...MEMBERS, 'version'].join(' ').replace('groups', 'groups { groupId role }')} }`;
const HISTORY = `query ($id: ID!, $after: String) {
  userHistory(id: $id, first: 2, after: $after) {
    nodes { at by kind version changed before ${USER} after ${USER} } pageInfo { hasNextPage endCursor }
  }
}`;

type Entry = {
  at: string;
  by: string | null;
  kind: string;
  version: number;
  changed: string[];
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
};
type Body = {
  data: { userHistory: { nodes: Entry[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } } | null;
};

const FUNCTION_TIMEOUT_MS = 10_000;
/** `TOLERANCE_MS`: for clock differences and slow writes. */
const [KEPT_MS, TOLERANCE_MS] = [24 * 3_600_000, 30_000];
const MAX_PAGES = 40;

/** Compares the histories with the writes that the database executed. */
export async function checkHistories(world: World, handlers: Handlers, namesActor: NamesActor): Promise<string[]> {
  const { store } = world.database;
  const isErased = createIsErased(store);
  const isOfUser = (change: Change) => change.pk.startsWith('USER#') && change.sk === 'USER' && !isRewrite(change);
  const problems: string[] = [];
  for (const [pk, changes] of Map.groupBy(store.changes.filter(isOfUser), ({ pk }) => pk)) {
    const id = pk.slice('USER#'.length);
    const start = world.clock.now - KEPT_MS;
    const entries = await readHistory(world, handlers, id);
    const kept = changes.filter((change) => findTime(change) >= start - TOLERANCE_MS).toReversed();
    const expected = kept.slice(
      0,
      Math.max(entries.length, kept.filter(({ at }) => at >= start + TOLERANCE_MS).length),
    );
    const isShown = (change: Change, at: number) => isSame(change, entries[at], { namesActor, isErased: isErased(pk) });
    if (entries.length !== expected.length || !expected.every(isShown))
      problems.push(`the history of ${id} is ${JSON.stringify(entries)}, not of ${JSON.stringify(expected)}`);
  }
  return problems;
}

/** The later of both times: an imported user's `updatedAt` keeps the change in the history until its entry expires. */
const findTime = ({ at, after }: Change): number => Math.max(at, Date.parse(after?.updatedAt?.S ?? '') || 0);

async function readHistory(world: World, handlers: Handlers, id: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let after: string | null = null;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const event = createGraphqlEvent('POST', { body: { query: HISTORY, variables: { id, after } } });
    const { ending } = await invoke(world, `history-${id}-${page}`, FUNCTION_TIMEOUT_MS, () => handlers.graphql(event));
    const body: Body = JSON.parse(('result' in ending && ending.result.body) || '{ "data": null }');
    const { nodes = [], pageInfo } = body.data?.userHistory ?? {};
    entries.push(...nodes.map((entry) => ({ ...entry, before: readUser(entry.before), after: readUser(entry.after) })));
    if (!pageInfo?.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  return entries;
}

type SeenMemberships = { groupId: string; role: Role }[];

function readUser(user: Entry['before']): Entry['before'] {
  const groups = (user?.groups ?? []) as SeenMemberships; // The query selects these members.
  return user && { ...user, groups: formatMemberships(groups.map(({ groupId: id, role }) => ({ id, role }))) ?? null };
}

const show = (item: Item | undefined) => {
  if (!item) return null;
  const values: Record<string, unknown> = { name: item.name?.S, email: item.email?.S, ...readFields(item) };
  return {
    ...Object.fromEntries(MEMBERS.map((name) => [name, values[name] ?? null])),
    version: Number(item.version?.N),
  };
};

type Shown = { namesActor: NamesActor; isErased: boolean };

/** Compares an entry with the change. Values must be absent after an erasure request. */
function isSame(change: Change, entry: Entry | undefined, { namesActor, isErased }: Shown): boolean {
  const [before, after] = [show(change.before), show(change.after)];
  const values = (shown: ReturnType<typeof show>) => new Map<string, unknown>(Object.entries(shown ?? {}));
  // The service compares with no user, and an empty list is not the same.
  const isEmptyList = (name: string) => name === 'groups' && (!before || !after);
  const isChanged = (name: string) =>
    isEmptyList(name) || (values(before).get(name) ?? null) !== (values(after).get(name) ?? null);
  const kind = before ? (after ? 'UPDATED' : 'DELETED') : 'CREATED';
  const version = after?.version ?? (before?.version ?? 0) + 1;
  const told = isErased
    ? { changed: [], before: null, after: null }
    : { changed: MEMBERS.filter(isChanged), before, after };
  return (
    entry !== undefined &&
    isDeepStrictEqual(
      { ...entry, changed: entry.changed.filter(isWritten), at: '', by: '' },
      { at: '', by: '', kind, version, ...told },
    ) &&
    (!change.after || entry.at === change.after.updatedAt?.S) &&
    namesActor(change, { by: { S: entry.by ?? '' }, at: { S: entry.at } })
  );
}
