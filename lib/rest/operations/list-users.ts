import * as z from 'zod/mini';
import type { Right } from '../../auth/caller.ts';
import { parseInput } from '../../input/parsing.ts';
import { sizes } from '../../sizes.ts';
import type { ListUsers, UserPage } from '../../users/list.ts';
import { type ListQuery, ONLY_ONCE, parameter } from '../list-query.ts';
import type { Event, RestOperation } from '../operation.ts';
import { listQueries } from '../queries.ts';
import { readQuery } from '../requests.ts';
import type { ResponseFormat } from '../responses.ts';

const DEFAULT_LIMIT = 100;

const after = z.optional(parameter).register(z.globalRegistry, {
  description:
    'Lists the users after the one with this id. Links to the next page contain it; those of a search contain another text.',
});

export const sortOrder = z.enum(['asc', 'desc'], {
  error: ({ input }) => (Array.isArray(input) ? ONLY_ONCE : 'must be asc or desc'),
});
// This is `page`, but has no keyword `default`: forms made from the document would send it with `q`, too.
const order = z.optional(sortOrder).register(z.globalRegistry, {
  description: 'By creation: `asc` is oldest first, the default; `desc` is newest first.',
});

const page = wholeNumber(Number.MAX_SAFE_INTEGER).register(z.globalRegistry, {
  type: 'integer',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The number of the page, 1 by default. A page after the last one is empty.',
});

const limit = wholeNumber(sizes.list).register(z.globalRegistry, {
  type: 'integer',
  minimum: 1,
  maximum: sizes.list,
  default: DEFAULT_LIMIT,
  description: 'The number of users per page, at most.',
});

const selections: z.core.$ZodLooseShape = Object.fromEntries(listQueries.map(({ name, schema }) => [name, schema]));

const enveloped = z.pipe(
  listQuery({ after, order, ...selections }),
  z.transform((query) => ({ ...toListUsers(query), limit: sizes.list })),
);

const bare = z.pipe(
  listQuery({ page, limit, after, order, ...selections }),
  z.transform(({ page = 1, limit = DEFAULT_LIMIT, ...query }) => ({
    ...toListUsers(query),
    limit,
    ...(findSelected(query)?.query.findCursorIssue ? {} : { page }),
  })),
);

/** The query parameters differ by response format. */
const queries: Record<ResponseFormat['name'], z.ZodMiniType<ListUsers>> = { enveloped, bare };

type Parameters = Pick<ListUsers, 'after' | 'order'>;
type Selected = { query: ListQuery; value: string };

function listSelected(parameters: Parameters): Selected[] {
  // The compiler does not know the names of the list.
  const members = new Map<string, unknown>(Object.entries(parameters));
  return listQueries.flatMap((query) => {
    const value = members.get(query.name);
    return typeof value === 'string' ? [{ query, value }] : [];
  });
}

/** Finds the filter that decides the order: of several, one that has a separate order, else the first. */
function findSelected(parameters: Parameters): Selected | undefined {
  const selected = listSelected(parameters);
  return selected.find(({ query }) => query.findCursorIssue) ?? selected[0];
}

/** Ids may be written in upper case, cursors of a selection may not. */
function toListUsers({ after, order, ...others }: Parameters): Omit<ListUsers, 'limit' | 'page'> {
  const { query, value } = findSelected(others) ?? {};
  const selection = query && value !== undefined ? { selection: query.select(value) } : {};
  return query?.findCursorIssue ? { after, ...selection } : { order, after: after?.toLowerCase(), ...selection };
}

function listQuery<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ');
  const error = `is not a parameter of this list; its parameters are ${known}`;
  const schema = z.strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? error : undefined) });
  return schema.check(({ value, issues }) => {
    for (const { name, message } of findConflicts(value))
      issues.push({ code: 'custom', input: value, path: [name], message });
  });
}

const userId = z.uuid();

function findConflicts(parameters: Parameters): { name: string; message: string }[] {
  const { after } = parameters;
  const { query: selected, value = '' } = findSelected(parameters) ?? {};
  const excluded = [
    ...(selected?.findCursorIssue ? ['page', 'order'].filter((name) => name in parameters) : []),
    ...listSelected(parameters).flatMap(({ query }) => (query === selected ? [] : [query.name])),
  ];
  const findCursorIssue = selected?.findCursorIssue ?? findIdIssue;
  const issue = after === undefined ? undefined : findCursorIssue(value, after);
  const conflicts = excluded.map((name) => ({ name, message: `cannot be combined with ${selected?.name}` }));
  return issue ? [...conflicts, { name: 'after', message: issue }] : conflicts;
}

const findIdIssue = (_: string, after: string) =>
  userId.safeParse(after).success ? undefined : 'must be the id of a user';

/** The OpenAPI document describes the number. */
function wholeNumber(maximum: number) {
  const digits = parameter.check(z.refine((text) => /^[1-9]\d*$/.test(text), 'must be a whole number, at least 1'));
  const number = z
    .pipe(digits, z.transform(Number))
    .check(z.refine((number) => number <= maximum, `must be at most ${maximum}`));
  return z.optional(number);
}

/** Looking up one user needs `read`, unless another parameter needs `list`. */
function findRight({ queryStringParameters = {} }: Event): Right {
  const rights = listQueries.flatMap(({ name, right }) => (Object.hasOwn(queryStringParameters, name) ? [right] : []));
  return rights.length > 0 && rights.every((right) => right === 'read') ? 'read' : 'list';
}

export const listUsersOperation = {
  method: 'GET',
  path: '',
  summary: 'List users',
  description:
    'Lists users in the order of their creation, or those that a search finds. `Link` headers lead to further pages. Every page costs about the same. A deployment can ask for another scope, unless the request only looks up one user.',
  status: 200,
  right: 'read',
  findRight,
  grant: { table: ['GetItem', 'BatchGetItem', 'Query'], index: ['Query'] },
  queries,
  response: { name: 'UserList', description: 'The users' },
  read: (event, { name }) => parseInput(queries[name], readQuery(event)),
  render: (page, query, format) => format.renderList(page, query),
} as const satisfies RestOperation<ListUsers, UserPage>;
