import { getItems } from '../dynamodb/batch.ts';
import { skipDamaged } from '../dynamodb/damaged-items.ts';
import { isUserId, normalizeId, userKey } from '../dynamodb/keys.ts';
import { minUuidAt, parseUuidTime } from '../input/uuidv7.ts';
import { sizes } from '../sizes.ts';
import { type CreationRange, type OnRead, type Order, queryUsersIn } from './directory.ts';
import { parseUser, type User } from './user.ts';

export type ListUsers = {
  limit: number;
  order?: Order | undefined;
  page?: number | undefined;
  after?: string | undefined;
  criteria?: readonly Criterion[] | undefined;
  /** Also returns `total`, if counting is cheap. */
  isCounted?: boolean | undefined;
};

export type UserPage = {
  users: User[];
  /** Default: the users' ids. */
  cursors?: string[];
  next?: string;
  total?: number;
};

/** A condition of a list. One criterion is the driver, the others leave out some of the users that it finds. */
export type Criterion = {
  /** Query parameters of REST, repeated in links to other pages. */
  parameters: Record<string, string | readonly string[]>;
  matches(user: User): boolean;
  driver?: Driver;
  /** Partitions with ids as sort keys. Finds users with an entry in any of them. */
  list?: readonly string[];
  range?: CreationRange;
  /** True if no user matches, although entries may exist. */
  findsNobody?(): Promise<boolean>;
  /** Reads the ids of the users who match, without reading users. Undefined for more than `maxKeys`. */
  readIds?(maxKeys: number, onRead: OnRead): Promise<string[] | undefined>;
};

/** Finds users and determines their order. The criterion with the first of these kinds is the driver. */
export type Driver = {
  kind: 'unique' | 'ids' | 'search' | 'sort' | 'range' | 'change' | 'join' | 'creation';
  maxPage: number;
  /** Partitions that must have entries of all users. */
  partitions?: readonly string[];
  sort?: Sort;
  /** Many candidates may not match. */
  isSelective?: boolean;
  /** Rejects `order` with this message, because the driver has an order of its own. */
  orderIssue?: string;
  findCursorIssue(after: string): string | undefined;
  /** Returns a function that reads the next candidates, about `limit`. */
  open(query: DriverQuery): (limit: number) => Promise<Found>;
};

export type DriverQuery = { after: string | undefined; order: Order; onRead: OnRead };

export type Found = { candidates: Candidate[]; next: string | undefined };

/** `user` is missing if it has to be read. `isCurrent` is false if the entry that found the user is outdated. */
export type Candidate = { id: string; cursor: string; user?: User; isCurrent?(user: User): boolean };

export type Sort = {
  name: string;
  formatCursor(user: User): string;
  compare(one: User, other: User, order: Order): number;
  isAfter(user: User, cursor: string, order: Order): boolean;
};

const toCandidate = (user: User): Candidate => ({ id: user.id, cursor: user.id, user });

export const findIdIssue = (after: string): string | undefined =>
  isUserId(normalizeId(after)) ? undefined : 'must be the id of a user';

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
    open: ({ onRead }) =>
      async function findOne() {
        const user = await find();
        onRead(1);
        return { candidates: user ? [toCandidate(user)] : [], next: undefined };
      },
  },
});

/** Finds users in the order of the ids, which must be normalized. Skips repeated and unknown ids. */
export function idCriterion(normalizedIds: readonly string[]): Criterion {
  const ids = [...new Set(normalizedIds)];
  return {
    parameters: { id: ids },
    matches: ({ id }) => ids.includes(id),
    driver: {
      kind: 'ids',
      maxPage: sizes.batchGet,
      orderIssue: 'cannot be combined with id: users are listed in the order of the ids',
      findCursorIssue: (after) => (ids.includes(normalizeId(after)) ? undefined : 'must be one of the ids'),
      open({ after }) {
        const left = ids.slice(after === undefined ? 0 : ids.indexOf(normalizeId(after)) + 1);
        return async (limit) => {
          const wanted = left.splice(0, limit);
          return {
            candidates: wanted.map((id) => ({ id, cursor: id })),
            next: left.length > 0 ? wanted.at(-1) : undefined,
          };
        };
      },
    },
  };
}

type Period = { after?: number | undefined; before?: number | undefined };

/** Finds users by creation time in ms, exclusive. Needs no entries: ids contain the creation time. */
export function creationCriterion(parameters: Criterion['parameters'], { after, before }: Period): Criterion {
  const range: CreationRange = {
    ...(after === undefined ? {} : { from: minIdAt(after + 1) }),
    ...(before === undefined ? {} : { to: minIdAt(before) }),
  };
  return {
    parameters,
    range,
    matches({ id }) {
      const time = parseUuidTime(id);
      return (after === undefined || time > after) && (before === undefined || time < before);
    },
  };
}

const minIdAt = (milliseconds: number) => minUuidAt(milliseconds).slice(0, 14);

export const isInRange = (id: string, { from, to }: CreationRange): boolean =>
  (from === undefined || id >= from) && (to === undefined || id < to);

/** Finds users in creation order. */
export const createDirectoryDriver = (range: CreationRange): Driver => ({
  kind: 'creation',
  maxPage: sizes.list,
  findCursorIssue: findIdIssue,
  open({ after, order, onRead }) {
    let position = after && normalizeId(after);
    return async (limit) => {
      const { ids, users, more } = await queryUsersIn(range, position, limit, order);
      onRead(Math.max(1, ids.length));
      position = more ? ids.at(-1) : undefined;
      return { candidates: users.map(toCandidate), next: position };
    };
  },
});

/** Skips unknown ids and damaged users. Eventually consistent. */
export async function getUsersByIds(ids: readonly string[]): Promise<Map<string, User>> {
  const items = await getItems(ids.map(userKey));
  return new Map(skipDamaged(items, parseUser).map((user) => [user.id, user]));
}
