import { getItems } from '../dynamodb/batch.ts';
import { skipDamaged } from '../dynamodb/damaged-items.ts';
import { isUserId, normalizeId, userKey } from '../dynamodb/keys.ts';
import { invalidInput } from '../errors.ts';
import { minUuidAt, parseUuidTime } from '../input/uuidv7.ts';
import { sizes } from '../sizes.ts';
import { type CreationRange, type Order, queryUsersIn } from './directory.ts';
import type { ListUsers, OnRead, UserPage } from './list.ts';
import { parseUser, type User } from './user.ts';

/**
 * A condition of a list. One criterion is the driver, which finds users and determines their order. The other criteria
 * filter these users.
 */
export type Criterion = {
  /** Query parameters of REST, repeated in links to other pages. */
  parameters: Record<string, string | readonly string[]>;
  matches(user: User): boolean;
  driver?: Driver;
  /** Drivers that read in creation order read only this range. */
  range?: CreationRange;
  sort?: Sort;
  count?(onRead: OnRead): Promise<number | undefined>;
};

export const MAX_COUNT = 10_000;

/** The criterion with the first of these kinds becomes the driver. */
const KINDS = ['unique', 'ids', 'search', 'sort', 'change', 'filter', 'creation'] as const;

type Driver = {
  kind: (typeof KINDS)[number];
  maxPage: number;
  /** Rejects `order` with this message, because the driver has an order of its own. */
  orderIssue?: string;
  /** Finds only users in `DriverQuery.range`. */
  readsRange?: boolean;
  findCursorIssue(after: string): string | undefined;
  find(query: DriverQuery): Promise<Found>;
};

export type DriverQuery = {
  after: string | undefined;
  limit: number;
  order: Order;
  range: CreationRange;
  onRead: OnRead;
};

export type Found = {
  users: FoundUser[];
  next: string | undefined;
};

export type FoundUser = { user: User; cursor: string };

export type Sort = {
  name: string;
  formatCursor(user: User): string;
  compare(one: User, other: User, order: Order): number;
  isAfter(user: User, cursor: string, order: Order): boolean;
};

/**
 * Lists users who match all criteria. Reads per page are bounded: a page may hold fewer than `limit` users although
 * `next` exists. Throws BAD_USER_INPUT for a cursor of another list, or if more users match than can be sorted in
 * memory.
 */
export async function listMatching(
  query: ListUsers & { criteria: readonly Criterion[] },
  onRead: OnRead,
): Promise<UserPage> {
  const { criteria, limit, order = 'asc', page = 1, after } = query;
  const driver = chooseDriver(criteria);
  const others = criteria.filter((criterion) => criterion.driver !== driver);
  const sorting = driver.kind === 'unique' ? undefined : others.find((criterion) => criterion.sort);
  const issue = after === undefined ? undefined : (sorting?.driver ?? driver).findCursorIssue(after);
  if (issue) throw invalidInput(['after'], issue);
  if (query.order !== undefined && !sorting && driver.orderIssue) throw invalidInput(['order'], driver.orderIssue);
  // Combine the two criteria of the creation time: one has `from`, the other `to`.
  const range: CreationRange = Object.assign({}, ...criteria.map((criterion) => criterion.range));
  const size = Math.min(limit, driver.maxPage);
  const reading = startReading(driver, { order, range, onRead });
  const matches = ({ user }: FoundUser) => others.every((criterion) => criterion.matches(user));

  if (driver.kind === 'unique') {
    const found = (await reading.find(undefined, 1)).users.filter(matches);
    const shown = found.filter(({ user }) => page === 1 && isAfter(user.id, after, order));
    return { ...toPage(shown, undefined), total: found.length };
  }
  if (sorting?.sort) {
    const found = await readAll(reading, sorting.sort.name);
    return sortPage(found.filter(matches), sorting.sort, { size, order, after });
  }
  const isSelective = others.some((criterion) => !(criterion.range && driver.readsRange));
  const found: FoundUser[] = [];
  let position = after;
  while (found.length < size && reading.items < sizes.filteredReads) {
    const part = await reading.find(position, isSelective ? sizes.batchGet : size - found.length);
    found.push(...part.users.filter(matches));
    position = part.next;
    if (position === undefined) break;
  }
  const next = found.length > size ? found[size - 1]?.cursor : position;
  return toPage(found.slice(0, size), next);
}

const toPage = (found: FoundUser[], next: string | undefined): UserPage => ({
  users: found.map(({ user }) => user),
  cursors: found.map(({ cursor }) => cursor),
  ...(next === undefined ? {} : { next }),
});

function chooseDriver(criteria: readonly Criterion[]): Driver {
  const drivers = criteria.flatMap(({ driver }) => driver ?? []);
  for (const kind of KINDS) {
    const driver = drivers.find((each) => each.kind === kind);
    if (driver) return driver;
  }
  return creationDriver;
}

type Reading = { items: number; find(after: string | undefined, limit: number): Promise<Found> };

function startReading(driver: Driver, query: Pick<DriverQuery, 'order' | 'range' | 'onRead'>): Reading {
  const reading: Reading = {
    items: 0,
    find: (after, limit) => driver.find({ ...query, after, limit: Math.min(limit, driver.maxPage), onRead }),
  };
  function onRead(items: number) {
    reading.items += items;
    query.onRead(items);
  }
  return reading;
}

const isAfter = (id: string, after: string | undefined, order: Order): boolean =>
  after === undefined || (order === 'desc' ? id < normalizeId(after) : id > normalizeId(after));

/** Items that may be read per user to sort. A search reads index entries, also of users who do not match. */
const MAX_READ_PER_SORTED = 4;

/** Throws BAD_USER_INPUT. */
async function readAll(reading: Reading, sortName: string): Promise<FoundUser[]> {
  const found: FoundUser[] = [];
  let position: string | undefined;
  do {
    const part = await reading.find(position, sizes.batchGet);
    found.push(...part.users);
    position = part.next;
    const isTooMuch = found.length >= sizes.filteredReads || reading.items >= MAX_READ_PER_SORTED * sizes.filteredReads;
    if (position !== undefined && isTooMuch)
      throw invalidInput(
        ['sort'],
        `cannot sort by ${sortName}: the other parameters find more than ${sizes.filteredReads} users. Narrow them, or omit sort`,
      );
  } while (position !== undefined);
  return found;
}

function sortPage(
  found: FoundUser[],
  sort: Sort,
  { size, order, after }: { size: number; order: Order; after: string | undefined },
): UserPage {
  const sorted = found
    .map(({ user }) => ({ user, cursor: sort.formatCursor(user) }))
    .filter(({ user }) => after === undefined || sort.isAfter(user, after, order))
    .toSorted((one, other) => sort.compare(one.user, other.user, order));
  return toPage(sorted.slice(0, size), sorted.length > size ? sorted[size - 1]?.cursor : undefined);
}

const ID_CURSOR = 'must be the id of a user';

export const findIdIssue = (after: string): string | undefined =>
  isUserId(normalizeId(after)) ? undefined : ID_CURSOR;

const creationDriver: Driver = {
  kind: 'creation',
  maxPage: sizes.list,
  readsRange: true,
  findCursorIssue: findIdIssue,
  async find({ after, limit, order, range, onRead }) {
    const { ids, users, more } = await queryUsersIn(range, after && normalizeId(after), limit, order);
    onRead(ids.length);
    return { users: users.map((user) => ({ user, cursor: user.id })), next: more ? ids.at(-1) : undefined };
  },
};

export const valueCriterion = (
  parameters: Criterion['parameters'],
  find: () => Promise<User | undefined>,
  matches: Criterion['matches'],
): Criterion => ({
  parameters,
  matches,
  driver: {
    kind: 'unique',
    maxPage: sizes.list,
    findCursorIssue: findIdIssue,
    async find({ onRead }) {
      const user = await find();
      onRead(user ? 1 : 0);
      return { users: user ? [{ user, cursor: user.id }] : [], next: undefined };
    },
  },
});

/** Finds users in the order of the ids, which must be normalized. Skips repeated and unknown ids. */
export function idCriterion(normalizedIds: readonly string[]): Criterion {
  const ids = [...new Set(normalizedIds)];
  return {
    // Links repeat an empty id if no id is valid: without `id`, they would lead to a list of other users.
    parameters: { id: ids.length > 0 ? ids : '' },
    matches: ({ id }) => ids.includes(id),
    driver: {
      kind: 'ids',
      maxPage: sizes.batchGet,
      orderIssue: 'cannot be combined with id: users are listed in the order of the ids',
      findCursorIssue: (after) => (ids.includes(normalizeId(after)) ? undefined : 'must be one of the ids'),
      async find({ after, limit, onRead }) {
        const start = after === undefined ? 0 : ids.indexOf(normalizeId(after)) + 1;
        const wanted = ids.slice(start, start + limit);
        const users = await getUsersByIds(wanted);
        onRead(wanted.length);
        return {
          users: wanted.flatMap((id) => {
            const user = users.get(id);
            return user ? [{ user, cursor: id }] : [];
          }),
          next: start + limit < ids.length ? wanted.at(-1) : undefined,
        };
      },
    },
  };
}

type Period = { after?: number | undefined; before?: number | undefined };

/** Finds users by creation time. Needs no index: ids contain the creation time. */
export const creationCriterion = (parameters: Criterion['parameters'], { after, before }: Period): Criterion => ({
  parameters,
  range: {
    ...(after === undefined ? {} : { from: minIdAt(after + 1) }),
    ...(before === undefined ? {} : { to: minIdAt(before) }),
  },
  matches({ id }) {
    const time = parseUuidTime(id);
    return (after === undefined || time > after) && (before === undefined || time < before);
  },
});

const minIdAt = (milliseconds: number) => minUuidAt(milliseconds).slice(0, 14);

/** Skips unknown ids and damaged users. Eventually consistent. */
export async function getUsersByIds(ids: readonly string[]): Promise<Map<string, User>> {
  const items = await getItems(ids.map(userKey));
  return new Map(skipDamaged(items, parseUser).map((user) => [user.id, user]));
}
