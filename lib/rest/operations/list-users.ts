import * as z from 'zod/mini';
import type { Right } from '../../auth/caller.ts';
import { invalidInput } from '../../errors.ts';
import { parseInput } from '../../input/parsing.ts';
import { sizes } from '../../sizes.ts';
import type { Criterion, ListUsers, UserPage } from '../../users/criteria.ts';
import { ONLY_ONCE, parameter } from '../list-query.ts';
import type { Event, RestOperation } from '../operation.ts';
import { listQueries } from '../queries.ts';
import { readQuery } from '../requests.ts';
import type { ResponseFormat } from '../responses.ts';

export const DEFAULT_LIMIT = 100;

const after = z.optional(parameter);

export const sortOrder = z.enum(['asc', 'desc'], {
  error: ({ input }) => (Array.isArray(input) ? ONLY_ONCE : 'must be asc or desc'),
});
const order = z.optional(sortOrder);

const page = wholeNumber(Number.MAX_SAFE_INTEGER);

const limit = wholeNumber(sizes.list);

/** `endpoint` reads it for all operations. */
export const include = z.optional(z.literal('times', 'must be times'));

const conditions: Record<string, z.ZodMiniType> = Object.assign({}, ...listQueries.map(({ parameters }) => parameters));

const enveloped = z.pipe(
  listQuery({ after, order, include, ...conditions }),
  z.transform((query) => ({ ...toListUsers(query), limit: sizes.list })),
);

const bare = z.pipe(
  listQuery({ page, limit, after, order, include, ...conditions }),
  z.transform(({ page, limit = DEFAULT_LIMIT, ...query }) => {
    const list = toListUsers(query);
    if (page !== undefined && !isNumbered(list.criteria)) {
      const names = list.criteria.flatMap(({ parameters }) => Object.keys(parameters)).join(', ');
      throw invalidInput(['page'], `cannot be combined with ${names}; use after`);
    }
    const first = isNumbered(list.criteria) && list.after === undefined ? 1 : undefined;
    return { ...list, limit, page: page ?? first };
  }),
);

/** Only lists of all users, and lookups by a unique value, have numbered pages. */
const isNumbered = (criteria: readonly Criterion[]): boolean =>
  criteria.length === 0 || criteria.some(({ driver }) => driver?.kind === 'unique');

const queries: Record<ResponseFormat['name'], z.ZodMiniType<ListUsers>> = { enveloped, bare };

type Parsed = Pick<ListUsers, 'after' | 'order'> & { include?: 'times' | undefined };

const toListUsers = ({ after, order, include: _, ...values }: Parsed) => ({
  after,
  order,
  criteria: listQueries.flatMap(({ toCriterion }) => toCriterion(values) ?? []),
});

function listQuery<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, `is not a parameter of this list; its parameters are ${known}`);
}

function wholeNumber(maximum: number) {
  const digits = parameter.check(z.refine((text) => /^[1-9]\d*$/.test(text), 'must be a whole number, at least 1'));
  const number = z
    .pipe(digits, z.transform(Number))
    .check(z.refine((number) => number <= maximum, `must be at most ${maximum}`));
  return z.optional(number);
}

/** True if the request prefers a count (RFC 7240 section 2). */
const prefersCount = ({ headers }: Event): boolean =>
  (headers.prefer ?? '').split(',').some((preference) => /^\s*count\s*=\s*"?exact"?\s*(;|$)/i.test(preference));

function findRight(event: Event): Right {
  if (prefersCount(event)) return 'list';
  const { queryStringParameters = {} } = event;
  const isSent = (name: string) => Object.hasOwn(queryStringParameters, name);
  const rights = listQueries.flatMap(({ parameters, right }) => (Object.keys(parameters).some(isSent) ? [right] : []));
  return rights.length > 0 && rights.every((right) => right === 'read') ? 'read' : 'list';
}

export const listUsersOperation = {
  method: 'GET',
  path: '',
  status: 200,
  right: 'read',
  findRight,
  grant: { table: ['GetItem', 'BatchGetItem', 'Query'], index: ['Query'] },
  queries,
  requestHeaders: ['Prefer'],
  read: (event, { name }) => ({ ...parseInput(queries[name], readQuery(event)), isCounted: prefersCount(event) }),
  render: (page, query, format) => format.renderList(page, query),
} as const satisfies RestOperation<ListUsers, UserPage>;
