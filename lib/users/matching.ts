import { normalizeId } from '../dynamodb/keys.ts';
import { invalidInput } from '../errors.ts';
import { requireCompleteLists } from '../features/backfill/complete-lists.ts';
import { openPageIndex } from '../features/page-index/reader.ts';
import { sizes } from '../sizes.ts';
import {
  type Candidate,
  type Criterion,
  createDirectoryDriver,
  type Driver,
  findIdIssue,
  getUsersByIds,
  isInRange,
  type ListUsers,
  type Sort,
  type UserPage,
} from './criteria.ts';
import { type CreationRange, type OnRead, type Order, queryUsersIn } from './directory.ts';
import { countEntries, KEYS_PER_USER, MAX_PAGE } from './entries.ts';
import { END, FIRST } from './entry-keys.ts';
import { Join } from './join.ts';
import type { User } from './user.ts';

type FoundUser = { user: User; cursor: string };

type Read = ReturnType<Driver['open']>;

type Query = { after: string | undefined; order: Order; size: number; onRead: OnRead };

/**
 * Lists users who match all criteria. Reads per page are bounded: a page may hold fewer than `limit` users although
 * `next` exists. Throws BAD_USER_INPUT for a cursor of another list, or if more users match than can be sorted in
 * memory.
 */
export async function listMatching(
  query: ListUsers & { criteria: readonly Criterion[] },
  onRead: OnRead,
): Promise<UserPage> {
  const [page, isEmpty] = await Promise.all([listFound(query, onRead), findNobody(query.criteria, onRead)]);
  return isEmpty ? { users: [], ...(page.total === undefined ? {} : { total: 0 }) } : page;
}

/** True if a criterion matches no user, although entries may exist. */
async function findNobody(criteria: readonly Criterion[], onRead: OnRead): Promise<boolean> {
  const checks = criteria.flatMap(({ findsNobody }) => (findsNobody ? [findsNobody()] : []));
  if (checks.length > 0) onRead(checks.length);
  return (await Promise.all(checks)).includes(true);
}

async function listFound(
  { criteria, limit, page = 1, ...query }: ListUsers & { criteria: readonly Criterion[] },
  onRead: OnRead,
): Promise<UserPage> {
  requireFinding(criteria);
  const driver = chooseDriver(criteria);
  const others = listOthers(driver, criteria);
  const sorting = driver.kind === 'unique' ? undefined : others.find(isSort)?.driver;
  const { after, order = 'asc' } = query;
  const issue = after === undefined ? undefined : (sorting ?? driver).findCursorIssue(after);
  if (issue) throw invalidInput(['after'], issue);
  if (query.order !== undefined && !sorting && driver.orderIssue) throw invalidInput(['order'], driver.orderIssue);
  const read = { after, order, size: Math.min(limit, driver.maxPage) };
  if (driver.kind === 'unique') return findOne(driver, others, { ...read, page, onRead });
  if (others.length === 0 && !driver.isSelective) return readPage(driver, criteria, { ...read, onRead });
  return withReserve(onRead, async (onRead) =>
    sorting?.sort
      ? sortPage(await readAll(driver, criteria, sorting.sort, { ...read, onRead }), sorting.sort, read)
      : readPage(driver, criteria, { ...read, onRead }),
  );
}

/** Throws BAD_USER_INPUT if no criterion finds users by keys. */
function requireFinding(criteria: readonly Criterion[]): void {
  const conditions = criteria.filter((each) => !isSort(each));
  if (conditions.length === 0 || conditions.some(({ driver, list, range }) => driver ?? list ?? range)) return;
  const names = conditions.flatMap(({ parameters }) => Object.keys(parameters));
  throw invalidInput(names.slice(0, 1), 'needs another condition: the field has no sorted list');
}

const KINDS: readonly Driver['kind'][] = ['unique', 'ids', 'search', 'sort', 'range', 'change'];

const isSort = ({ driver }: Criterion): boolean => driver?.kind === 'sort';

/** Joins filters and periods if no other criterion drives. A range of the list that is sorted drives in its place. */
function chooseDriver(criteria: readonly Criterion[]): Driver {
  const drivers = criteria.flatMap(({ driver }) => driver ?? []);
  for (const kind of KINDS) {
    const first = drivers.find((driver) => driver.kind === kind);
    const range = drivers.find((driver) => driver.kind === 'range' && driver.sort?.name === first?.sort?.name);
    if (first) return kind === 'sort' ? (range ?? first) : first;
  }
  const lists = criteria.flatMap(({ list }) => (list ? [list] : []));
  const range = joinRanges(criteria);
  return lists.length === 0 ? createDirectoryDriver(range) : createJoinDriver(lists, range);
}

/** Lists the criteria that the driver does not apply. */
const listOthers = (driver: Driver, criteria: readonly Criterion[]): Criterion[] =>
  criteria.filter((each) => {
    if (driver.kind === 'join' || driver.kind === 'creation') return !each.list && !each.range;
    return each.driver !== driver && !(isSort(each) && driver.sort?.name === each.driver?.sort?.name);
  });

const joinRanges = (criteria: readonly Criterion[]): CreationRange =>
  Object.assign({}, ...criteria.map(({ range }) => range));

/** Keys that one page reads at most: about 300 read units. */
const MAX_KEYS = 40_000;
/** Keys that a count reads at most: about 150 read units. */
const MAX_COUNTED_KEYS = 20_000;
/** Keys of other criteria that a page of a sort or a search reads: about 70 read units. */
const MAX_KEYS_BESIDE = 10_000;
/** Users in creation order that one read of the GSI returns for the price of a user. */
const USERS_PER_DIRECTORY_READ = 10;

const createJoinDriver = (lists: readonly (readonly string[])[], range: CreationRange): Driver => ({
  kind: 'join',
  maxPage: MAX_PAGE,
  partitions: lists.flat(),
  isSelective: lists.length > 1,
  findCursorIssue: findIdIssue,
  open({ after, ...query }) {
    const join = new Join(lists, { ...query, after: after && normalizeId(after), range, maxKeys: MAX_KEYS });
    return async (limit) => {
      const { ids, next } = await join.read(limit);
      return { candidates: ids.map(toCandidate), next };
    };
  },
});

/** Users and keys that a list may read to find few users. */
const RESERVED_ITEMS = 700;

/** Charges before the first read, so that a request with too many such lists fails at once. Releases the rest. */
async function withReserve<Result>(onRead: OnRead, run: (onRead: OnRead) => Promise<Result>): Promise<Result> {
  let left = RESERVED_ITEMS;
  onRead(left);
  const result = await run((items) => {
    const reserved = Math.min(items, left);
    left -= reserved;
    onRead(items - reserved);
  });
  if (left > 0) onRead(-left);
  return result;
}

const toPage = (found: readonly FoundUser[], next: string | undefined): UserPage => ({
  users: found.map(({ user }) => user),
  cursors: found.map(({ cursor }) => cursor),
  ...(next === undefined ? {} : { next }),
});

async function findOne(
  driver: Driver,
  others: readonly Criterion[],
  { page, ...query }: Query & { page: number },
): Promise<UserPage> {
  const { after, order } = query;
  const { candidates } = await driver.open({ ...query, after: undefined })(1);
  const found = await loadMatching(driver, candidates, others, query.onRead);
  const isAfter = ({ user: { id } }: FoundUser) =>
    after === undefined || (order === 'desc' ? id < normalizeId(after) : id > normalizeId(after));
  return { ...toPage(page === 1 ? found.filter(isAfter) : [], undefined), total: found.length };
}

/** Reads users who are missing. Skips users who do not match, because entries may be outdated. */
async function loadMatching(
  driver: Driver,
  candidates: readonly Candidate[],
  criteria: readonly Criterion[],
  onRead: OnRead,
): Promise<FoundUser[]> {
  const missing = candidates.filter(({ user }) => !user).map(({ id }) => id);
  if (missing.length > 0) onRead(missing.length);
  const [users] = await Promise.all([getUsersByIds(missing), requireCompleteLists(driver.partitions ?? [])]);
  return candidates.flatMap(({ id, cursor, user = users.get(id), isCurrent }) =>
    user && (isCurrent?.(user) ?? true) && criteria.every((criterion) => criterion.matches(user))
      ? [{ user, cursor }]
      : [],
  );
}

/** Kinds of drivers that find ids by entries, and then read the users. */
const ENTRY_KINDS: readonly Driver['kind'][] = ['search', 'sort', 'range'];

/** Users that are read before the ids of other criteria. */
const SAMPLE = 25;
/** Candidates per match from which `readPage` reads ids of the other criteria. */
const FEW = 16;
/** Users that are rather read and sorted than found in the driver's order. */
const MAX_SORTED_AT_ONCE = 200;

/**
 * Reads users in the driver's order. If few of the first ones match, reads the ids that match the other criteria, and
 * then leaves out other candidates without reading their users.
 */
async function readPage(driver: Driver, criteria: readonly Criterion[], query: Query): Promise<UserPage> {
  const others = listOthers(driver, criteria);
  const { after, order, size } = query;
  let items = 0;
  const onRead = (count: number) => {
    items += count;
    query.onRead(count);
  };
  let read = driver.open({ after, order, onRead });
  let canReadIds = ENTRY_KINDS.includes(driver.kind) && others.some((each) => each.list ?? each.range ?? each.readIds);
  const found: FoundUser[] = [];
  let seen = 0;
  let position: string | undefined;
  do {
    const missing = size - found.length;
    const expected = Math.ceil((missing * (seen + 1)) / (found.length + 1));
    const { candidates, next } = await read(
      Math.min(expected, canReadIds ? SAMPLE : Math.max(missing, sizes.batchGet)),
    );
    found.push(...(await loadMatching(driver, candidates, criteria, onRead)));
    seen += candidates.length;
    position = next;
    if (canReadIds && position !== undefined && found.length < size && FEW * found.length < seen) {
      canReadIds = false;
      // Reading more keys would cost more than reading the users.
      const maxKeys = Math.ceil((KEYS_PER_USER * size * seen) / Math.max(found.length, 1));
      const matching = await readIds(others, Math.min(MAX_KEYS_BESIDE, maxKeys), query.onRead);
      if (matching && driver.sort && matching.ids.length <= MAX_SORTED_AT_ONCE)
        return sortPage(
          await loadMatching(driver, matching.ids.map(toCandidate), criteria, onRead),
          driver.sort,
          query,
        );
      read = leaveOut(read, others, matching && new Set(matching.ids));
      seen = found.length;
    }
  } while (position !== undefined && found.length < size && items < sizes.pageReads);
  return toPage(found.slice(0, size), found.length > size ? found[size - 1]?.cursor : position);
}

const toCandidate = (id: string): Candidate => ({ id, cursor: id });

/** Entries that are read at once if most of them are left out. */
const MIN_ENTRIES = 200;
const MAX_ENTRIES = 4_000;

/** Leaves out candidates outside of `ids`, and outside of the period of creation. */
function leaveOut(read: Read, others: readonly Criterion[], ids: ReadonlySet<string> | undefined): Read {
  const range = joinRanges(others);
  let waiting: Candidate[] = [];
  let end: string | undefined;
  let [size, isEnd] = [0, false];
  return async (limit) => {
    let entries = 0;
    while (waiting.length <= limit && !isEnd && entries < MAX_COUNTED_KEYS) {
      size = Math.min(MAX_ENTRIES, Math.max(MIN_ENTRIES, 4 * size));
      const part = await read(size);
      entries += part.candidates.length;
      waiting.push(...part.candidates.filter(({ id }) => (ids?.has(id) ?? true) && isInRange(id, range)));
      end = part.next;
      isEnd = end === undefined;
    }
    const candidates = waiting.slice(0, limit);
    waiting = waiting.slice(limit);
    return { candidates, next: waiting.length > 0 ? candidates.at(-1)?.cursor : end };
  };
}

/** `isExact` is false if some of the users may not match all criteria. */
type MatchingIds = { ids: string[]; isExact: boolean };

/** Reads ids by keys. Undefined if all criteria have too many. Throws SERVICE_UNAVAILABLE for incomplete lists. */
async function readIds(
  criteria: readonly Criterion[],
  maxKeys: number,
  onRead: OnRead,
  maxIds = maxKeys,
): Promise<MatchingIds | undefined> {
  const lists = criteria.flatMap(({ list }) => (list ? [list] : []));
  const readers = criteria.flatMap((each) => each.readIds ?? []);
  const range = joinRanges(criteria);
  const readJoined = async () => {
    const join = new Join(lists, { range, maxKeys, onRead });
    const { ids, next } = await join.read(maxIds);
    return next === undefined ? { ids, isExact: join.isTested } : undefined;
  };
  const readPeriod = async () => {
    const { ids, more } = await queryUsersIn(range, undefined, MAX_SORTED_AT_ONCE, 'asc');
    onRead(ids.length / USERS_PER_DIRECTORY_READ);
    return more ? undefined : { ids, isExact: true };
  };
  const parts = await Promise.all([
    ...(lists.length > 0 ? [readJoined()] : readers.length === 0 ? [readPeriod()] : []),
    ...readers.map(async (read) => {
      const ids = await read(maxKeys, onRead);
      return ids && { ids, isExact: true };
    }),
  ]);
  await requireCompleteLists(criteria.flatMap(({ list, driver }) => list ?? driver?.partitions ?? []));
  const complete = parts
    .filter((part) => part !== undefined)
    .toSorted((one, other) => one.ids.length - other.ids.length);
  const [fewest, ...more] = complete;
  if (!fewest) return undefined;
  const sets = more.map(({ ids }) => new Set(ids));
  return {
    ids: fewest.ids.filter((id) => isInRange(id, range) && sets.every((set) => set.has(id))),
    isExact: complete.length === parts.length && complete.every(({ isExact }) => isExact),
  };
}

/** Throws BAD_USER_INPUT. */
async function readAll(driver: Driver, criteria: readonly Criterion[], sort: Sort, { order, onRead }: Query) {
  const read = driver.open({ after: undefined, order, onRead });
  const found: FoundUser[] = [];
  let seen = 0;
  let position: string | undefined;
  do {
    const { candidates, next } = await read(sizes.batchGet);
    found.push(...(await loadMatching(driver, candidates, criteria, onRead)));
    seen += candidates.length;
    position = next;
    if (position !== undefined && seen >= sizes.sorted)
      throw invalidInput(
        ['sort'],
        `cannot sort by ${sort.name}: the other parameters find more than ${sizes.sorted} users. Narrow them, or omit sort`,
      );
  } while (position !== undefined);
  return found;
}

function sortPage(
  found: readonly FoundUser[],
  sort: Sort,
  { size, order, after }: Pick<Query, 'size' | 'order' | 'after'>,
): UserPage {
  const sorted = found
    .map(({ user }) => ({ user, cursor: sort.formatCursor(user) }))
    .filter(({ user }) => after === undefined || sort.isAfter(user, after, order))
    .toSorted((one, other) => sort.compare(one.user, other.user, order));
  return toPage(sorted.slice(0, size), sorted.length > size ? sorted[size - 1]?.cursor : undefined);
}

const MAX_COUNT = 10_000;

/**
 * Counts users who match. Undefined for more than MAX_COUNT, if too many keys would be read, and for criteria without
 * keys. Eventually consistent. Throws SERVICE_UNAVAILABLE for incomplete lists.
 */
export async function countMatching(criteria: readonly Criterion[], onRead: OnRead): Promise<number | undefined> {
  const [count, isEmpty] = await Promise.all([countFound(criteria, onRead), findNobody(criteria, onRead)]);
  return isEmpty ? 0 : count;
}

async function countFound(criteria: readonly Criterion[], onRead: OnRead): Promise<number | undefined> {
  const conditions = criteria.filter((each) => !isSort(each));
  if (conditions.length === 0) return countUsers(onRead);
  if (conditions.some(({ driver, readIds }) => driver && !readIds)) return undefined;
  if (conditions.every(({ range }) => range)) return openPageIndex(onRead).count(joinRanges(conditions));
  const [values, ...others] = conditions.flatMap(({ list }) => (list ? [list] : []));
  const [partition] = values ?? [];
  if (
    partition &&
    values?.length === 1 &&
    others.length === 0 &&
    conditions.every(({ list, range }) => list ?? range)
  ) {
    const { from = FIRST, to = END } = joinRanges(conditions);
    const count = await countEntries(partition, { from, to }, MAX_COUNT, onRead);
    await requireCompleteLists([partition]);
    return count;
  }
  const maxIds = conditions.some(({ readIds }) => readIds) ? undefined : MAX_COUNT;
  const matching = await readIds(conditions, MAX_COUNTED_KEYS, onRead, maxIds);
  if (!matching) return undefined;
  const { ids, isExact } = matching;
  if (isExact && conditions.every(({ list, range, readIds }) => list ?? range ?? readIds))
    return ids.length <= MAX_COUNT ? ids.length : undefined;
  if (ids.length > sizes.pageReads) return undefined;
  onRead(ids.length);
  const users = [...(await getUsersByIds(ids)).values()];
  return users.filter((user) => conditions.every((criterion) => criterion.matches(user))).length;
}

export const countUsers = (onRead: OnRead): Promise<number> => openPageIndex(onRead).count();
