import { isUserId } from '../../dynamodb/keys.ts';
import { invalidInput } from '../../errors.ts';
import { decodeCursor, encodeCursor } from '../../input/cursor.ts';
import { DATE_FORM, isDate, TIME_FORM, toUtc } from '../../input/time.ts';
import type { Candidate, Criterion, Driver, Sort } from '../../users/criteria.ts';
import type { Order } from '../../users/directory.ts';
import { type KeyRange, MAX_PAGE, queryEntries } from '../../users/entries.ts';
import {
  compareKeys,
  END,
  endOfText,
  FIRST,
  formatEntryKey,
  parseEntryKey,
  startOfText,
} from '../../users/entry-keys.ts';
import { MAX_LENGTH, type OwnField } from '../../users/fields/declaration.ts';
import type { User } from '../../users/user.ts';
import { findSortText, listFilterTexts } from './entries.ts';
import {
  createFilterText,
  encodeSortValue,
  filterPartition,
  formatSortText,
  sortPartition,
  WITHOUT_VALUE,
} from './keys.ts';

export type FilterValue = string | number | boolean;

/** Maximum values of one filter. */
export const MAX_VALUES = 10;

/** Finds users with any of the values. Throws BAD_USER_INPUT, naming `path`. */
export function filterCriterion(
  field: OwnField,
  values: readonly FilterValue[],
  path: PropertyKey[] = [field.name],
): Criterion {
  const [issue] = [findCountIssue(values), ...values.map((value) => findFilterIssue(field, value))].filter(Boolean);
  if (issue) throw invalidInput(path, issue);
  const texts = [...new Set(values.flatMap((value) => createFilterText(value) ?? []))];
  return {
    // Drops texts that no user can have, and invisible characters, because links repeat the values.
    parameters: { [field.name]: texts.length > 0 ? texts : '' },
    matches: (user) => listFilterTexts(user, field).some((text) => texts.includes(text)),
    list: texts.map((text) => filterPartition(field.name, text)),
  };
}

function findCountIssue({ length }: readonly FilterValue[]): string | undefined {
  if (length === 0) return 'must have a value';
  return length > MAX_VALUES ? `must have at most ${MAX_VALUES} values` : undefined;
}

/** Returns why no user can have the value, or undefined. */
function findFilterIssue({ type, enum: choices }: OwnField, value: FilterValue): string | undefined {
  const text = createFilterText(value);
  if (choices && !choices.some((choice) => createFilterText(choice) === text))
    return `must be one of ${choices.join(', ')}`;
  if (type === 'date' && !isDate(String(value))) return DATE_FORM;
  return undefined;
}

/** Sorts by name or a `sort` field. Users without a value come last in both orders. */
export const sortCriterion = (name: string): Criterion => ({
  parameters: { sort: name },
  matches: () => true,
  driver: createDriver('sort', name, (order) =>
    order === 'asc' ? [{ from: FIRST, to: END }] : [WITH_A_VALUE, WITHOUT_A_VALUE],
  ),
});

const WITH_A_VALUE: KeyRange = { from: FIRST, to: WITHOUT_VALUE };
const WITHOUT_A_VALUE: KeyRange = { from: WITHOUT_VALUE, to: END };

export const OPERATORS = ['gte', 'gt', 'lte', 'lt'] as const;

/** `exists: false` finds users without a value. */
export type Bounds = { [operator in (typeof OPERATORS)[number]]?: string | number | undefined } & {
  exists?: boolean | undefined;
};

type BoundIssue = { operator: keyof Bounds; message: string };

/** Returns why the bounds make no range, or undefined. */
function findBoundIssue({ type }: OwnField, bounds: Bounds): BoundIssue | undefined {
  const { gte, gt, lte, lt, exists } = bounds;
  for (const operator of OPERATORS) {
    const value = bounds[operator];
    if (value === undefined) continue;
    if (type === 'date' && !isDate(String(value))) return { operator, message: DATE_FORM };
    if (type === 'dateTime' && toTime(value) === undefined) return { operator, message: TIME_FORM };
    if ([...String(value)].length > MAX_LENGTH)
      return { operator, message: `must have at most ${MAX_LENGTH} characters` };
    if (!String(value).isWellFormed()) return { operator, message: 'must be well-formed Unicode' };
    if (exists === false) return { operator, message: 'cannot be combined with exists=false' };
  }
  if (gte !== undefined && gt !== undefined) return { operator: 'gt', message: 'cannot be combined with gte' };
  if (lte !== undefined && lt !== undefined) return { operator: 'lt', message: 'cannot be combined with lte' };
  const [lower, upper] = [gte ?? gt, lte ?? lt];
  if (lower === undefined || upper === undefined) return undefined;
  const isBelow = compareKeys(encode(type, lower), encode(type, upper)) <= 0;
  return isBelow
    ? undefined
    : { operator: gte === undefined ? 'gt' : 'gte', message: 'must not be above the upper bound' };
}

/** A date means the start of that day in UTC. */
const toTime = (value: string | number): string | undefined =>
  isDate(String(value)) ? new Date(String(value)).toISOString() : toUtc(value);

const encode = (type: OwnField['type'], value: string | number): string =>
  formatSortText(encodeSortValue(type === 'dateTime' ? (toTime(value) ?? '') : value));

/**
 * Finds users in the order of the field. A field that has no sorted list only supports `exists`, beside a criterion that
 * finds users. Throws BAD_USER_INPUT, naming `toPath(operator)`.
 */
export function rangeCriterion(
  field: OwnField,
  bounds: Bounds,
  toPath = (operator: keyof Bounds): PropertyKey[] => [`${field.name}.${operator}`],
): Criterion {
  const { name, type } = field;
  const issue = findBoundIssue(field, bounds);
  if (issue) throw invalidInput(toPath(issue.operator), issue.message);
  const sent = Object.entries(bounds).filter(([, value]) => value !== undefined);
  const parameters = Object.fromEntries(sent.map(([operator, value]) => [`${name}.${operator}`, String(value)]));
  if (!field.sort) {
    const isEmpty = ({ own }: User) => own[name] === undefined || (Array.isArray(own[name]) && own[name].length === 0);
    return { parameters, matches: (user) => isEmpty(user) !== bounds.exists };
  }
  const range = bounds.exists === false ? WITHOUT_A_VALUE : { ...WITH_A_VALUE };
  const { gte, gt, lte, lt } = bounds;
  if (gte !== undefined) range.from = startOfText(encode(type, gte));
  if (gt !== undefined) range.from = endOfText(encode(type, gt));
  if (lte !== undefined) range.to = endOfText(encode(type, lte));
  if (lt !== undefined) range.to = startOfText(encode(type, lt));
  return {
    parameters,
    matches: (user) => contains(range, formatUserKey(user, name)),
    driver: createDriver('range', name, () => [range]),
    async readIds(maxKeys, onRead) {
      const read = { ...range, order: 'asc' as const, limit: maxKeys, onRead };
      const { keys, isEnd } = await queryEntries(sortPartition(name), read);
      return isEnd ? keys.map((key) => parseEntryKey(key).id) : undefined;
    },
  };
}

/** Reads the ranges of a sorted list one after the other. */
function createDriver(
  kind: 'sort' | 'range',
  name: string,
  listRanges: (order: Order) => readonly KeyRange[],
): Driver & { sort: Sort } {
  const pk = sortPartition(name);
  const sort: Sort = {
    name,
    formatCursor: (user) => formatCursor(name, formatUserKey(user, name)),
    compare: (one, other, order) => compareInOrder(formatUserKey(one, name), formatUserKey(other, name), order),
    isAfter: (user, cursor, order) =>
      compareInOrder(formatUserKey(user, name), parseCursor(name, cursor) ?? '', order) > 0,
  };
  return {
    kind,
    maxPage: MAX_PAGE,
    partitions: [pk],
    sort,
    findCursorIssue: (after) =>
      parseCursor(name, after) === undefined
        ? `must be from a link to the next page of the list by ${name}`
        : undefined,
    open({ order, onRead, ...start }) {
      let ranges = listRanges(order);
      let after = start.after === undefined ? undefined : parseCursor(name, start.after);
      return async (limit) => {
        // Users without a value come last, also in descending order.
        const isPast = after !== undefined && !hasValue(after) && ranges.every(({ to }) => hasValue(to));
        if (isPast) return { candidates: [], next: undefined };
        ranges = ranges.slice(
          Math.max(
            0,
            ranges.findIndex((range) => after !== undefined && contains(range, after)),
          ),
        );
        const keys: string[] = [];
        for (const range of ranges) {
          const isFirst = range === ranges[0];
          // One more key shows if another page follows.
          const query = { ...range, after: isFirst ? after : undefined, order, limit: limit + 1 - keys.length, onRead };
          keys.push(...(await queryEntries(pk, query)).keys);
          if (keys.length > limit) break;
        }
        const page = keys.slice(0, limit);
        after = page.at(-1) ?? after;
        return {
          candidates: page.map(toCandidate),
          next: keys.length > limit && after ? formatCursor(name, after) : undefined,
        };
      };
    },
  };

  function toCandidate(sk: string): Candidate {
    const cursor = formatCursor(name, sk);
    return { id: parseEntryKey(sk).id, cursor, isCurrent: (user) => sort.formatCursor(user) === cursor };
  }
}

const contains = ({ from, to }: KeyRange, key: string): boolean =>
  compareKeys(key, from) >= 0 && compareKeys(key, to) <= 0;

const formatUserKey = (user: User, name: string): string => formatEntryKey(findSortText(user, name), user.id);

/** Users without a value come last in both orders. */
function compareInOrder(one: string, other: string, order: Order): number {
  if (hasValue(one) !== hasValue(other)) return hasValue(one) ? -1 : 1;
  return order === 'asc' ? compareKeys(one, other) : compareKeys(other, one);
}

const hasValue = (sk: string): boolean => contains(WITH_A_VALUE, sk);

const formatCursor = (name: string, sk: string): string => encodeCursor(`${name} ${sk}`);

function parseCursor(name: string, cursor: string): string | undefined {
  const content = decodeCursor(cursor) ?? '';
  const sk = content.startsWith(`${name} `) ? content.slice(name.length + 1) : '';
  const { text, id } = parseEntryKey(sk);
  const isText = hasValue(sk) || text === WITHOUT_VALUE;
  return isText && isUserId(id) && formatEntryKey(text, id) === sk ? sk : undefined;
}
