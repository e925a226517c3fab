import { getItems } from '../dynamodb/batch.ts';
import { isUserId, normalizeId, userKey } from '../dynamodb/keys.ts';
import { invalidInput } from '../errors.ts';
import { minUuidAt, parseUuidTime } from '../input/uuidv7.ts';
import { sizes } from '../sizes.ts';
import { type CreationRange, type Order, queryUsersIn } from './directory.ts';
import type { ListUsers, OnRead, UserPage } from './list.ts';
import { readUser, type User } from './user.ts';

/**
 * A condition on the users of a list. One criterion drives: it finds the users, in its order. The others filter the users
 * that it finds.
 */
export type Criterion = {
  /** The query parameters of REST. Links to other pages repeat them. */
  parameters: Record<string, string | readonly string[]>;
  matches(user: User): boolean;
  /** Absent if the criterion can only filter. */
  driver?: Driver;
  /** Set by a criterion on the time of the creation. Drivers that read in the order of creation read only this range. */
  range?: CreationRange;
  /** Set by the criterion that sorts the list. */
  sort?: Sort;
  /** Counts the users who meet the criterion. Returns undefined if they are more than MAX_COUNT. */
  count?(onRead: OnRead): Promise<number | undefined>;
};

/** Users that a request counts at most. */
export const MAX_COUNT = 10_000;

/** The kinds of drivers. Of several criteria, the one whose kind comes first drives. */
const KINDS = ['unique', 'ids', 'search', 'sort', 'change', 'filter', 'creation'] as const;

/** Finds users, in its order. */
export type Driver = {
  kind: (typeof KINDS)[number];
  /** Users that a page holds at most. */
  maxPage: number;
  /** Says why `order` cannot be given. Absent if it can. */
  orderIssue?: string;
  /** Set if the driver reads only users of `range`. */
  readsRange?: boolean;
  /** Why a text is no cursor of this driver. Undefined for a cursor. */
  findCursorIssue(after: string): string | undefined;
  find(query: DriverQuery): Promise<Found>;
};

export type DriverQuery = {
  /** A cursor of this driver. */
  after: string | undefined;
  /** At least 1. */
  limit: number;
  order: Order;
  range: CreationRange;
  onRead: OnRead;
};

export type Found = {
  users: FoundUser[];
  /** The cursor after which the reading goes on. Undefined at the end. */
  next: string | undefined;
};

export type FoundUser = { user: User; cursor: string };

/** An order of users by a value. */
export type Sort = {
  /** The name of the query parameter's value, for messages. */
  name: string;
  formatCursor(user: User): string;
  compare(one: User, other: User, order: Order): number;
  isAfter(user: User, cursor: string, order: Order): boolean;
};

/**
 * Lists the users who meet all criteria. A page may hold fewer than `limit` users although `next` exists: reading is
 * bounded. Throws BAD_USER_INPUT for a foreign cursor, and for more matches than can be sorted.
 */
export async function listMatching(
  query: ListUsers & { criteria: readonly Criterion[] },
  onRead: OnRead,
): Promise<UserPage> {
  const { criteria, limit, order = 'asc', page = 1, after } = query;
  const driver = chooseDriver(criteria);
  const others = criteria.filter((criterion) => criterion.driver !== driver);
  // One user needs no order.
  const sorting = driver.kind === 'unique' ? undefined : others.find((criterion) => criterion.sort);
  const issue = after === undefined ? undefined : (sorting?.driver ?? driver).findCursorIssue(after);
  if (issue) throw invalidInput(['after'], issue);
  if (query.order !== undefined && !sorting && driver.orderIssue) throw invalidInput(['order'], driver.orderIssue);
  // A criterion sets one end.
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

/** Reads with a driver, and counts the items that were read. */
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

/** Compares ids: they sort by creation. */
const isAfter = (id: string, after: string | undefined, order: Order): boolean =>
  after === undefined || (order === 'desc' ? id < normalizeId(after) : id > normalizeId(after));

/** A search reads entries of users, too, and of users who do not match. */
const MAX_READ_PER_SORTED = 4;

/** Reads all users that a driver finds, to sort them. Throws BAD_USER_INPUT if they are too many. */
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
        `cannot sort by ${sortName}: the other parameters find more than ${sizes.filteredReads} users`,
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

/** Ids may be written in upper case. */
export const findIdIssue = (after: string): string | undefined =>
  isUserId(normalizeId(after)) ? undefined : ID_CURSOR;

/** Finds all users in the order of their creation. */
const creationDriver: Driver = {
  kind: 'creation',
  maxPage: sizes.list,
  readsRange: true,
  findCursorIssue: findIdIssue,
  async find({ after, limit, order, range, onRead }) {
    const { users, more } = await queryUsersIn(range, after && normalizeId(after), limit, order);
    onRead(users.length);
    const found = users.map((user) => ({ user, cursor: user.id }));
    return { users: found, next: more ? found.at(-1)?.cursor : undefined };
  },
};

/** Creates a criterion that finds the one user who has a unique value. */
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

/** Creates a criterion for users by their ids, of which the service knows some. They are listed in the order of the ids. */
export function idCriterion(typed: readonly string[]): Criterion {
  const ids = [...new Set(typed.map(normalizeId))];
  return {
    parameters: { id: ids },
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
          users: users.map((user) => ({ user, cursor: user.id })),
          next: start + limit < ids.length ? wanted.at(-1) : undefined,
        };
      },
    },
  };
}

/** Milliseconds of Unix time. Both ends are exclusive. */
type Period = { after?: number | undefined; before?: number | undefined };

/** Creates a criterion on the time of the creation, which the ids contain. */
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

/** No id of this millisecond sorts before. */
const minIdAt = (milliseconds: number) => minUuidAt(milliseconds).slice(0, 14);

/** Finds users by their ids, in the order of the ids, without unknown ones. Eventually consistent. */
export async function getUsersByIds(ids: readonly string[]): Promise<User[]> {
  const items = await getItems(ids.map(userKey));
  const users = new Map(items.flatMap((item) => readUser(item) ?? []).map((user) => [user.id, user]));
  return ids.flatMap((id) => users.get(id) ?? []);
}
