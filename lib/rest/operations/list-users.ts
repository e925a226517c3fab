import * as z from 'zod/mini';
import { MAX_LENGTH as MAX_VALUE_LENGTH, type OwnField } from '../../features/own-fields/declaration.ts';
import { uniqueFields } from '../../features/own-fields/declared.ts';
import { decodeSearchCursor } from '../../features/search/search.ts';
import { findIssue, MAX_LENGTH, normalizeText } from '../../features/search/text.ts';
import { parseInput } from '../../input/validation.ts';
import { sizes } from '../../sizes.ts';
import type { ListUsers, UserPage } from '../../users/list.ts';
import { exampleUser } from '../../users/schema.ts';
import type { RestOperation } from '../operation.ts';
import { readQuery } from '../requests.ts';
import type { ResponseFormat } from '../responses.ts';

const DEFAULT_LIMIT = 100;
const MAX_EMAIL_OCTETS = 254;

const ONLY_ONCE = 'must be given only once';

/** Parameters are text; the values of one that is repeated are an array. */
const parameter = z.string(ONLY_ONCE);

const after = z.optional(parameter).register(z.globalRegistry, {
  description:
    'Lists the users after the one with this id. Links to the next page contain it; those of a search contain another text.',
});

const email = z.optional(z.pipe(parameter, z.transform(normalizeEmail))).register(z.globalRegistry, {
  description: 'Lists only the user with this email address, in any case; nobody if none has it.',
});

function normalizeEmail(text: string): string {
  // A plus that the client did not encode arrives as a space, which no address contains.
  const address = text.trim().replaceAll(' ', '+');
  // Nobody has a longer address, or the empty one. Links repeat the address, so keep it short.
  return Buffer.byteLength(address) > MAX_EMAIL_OCTETS ? '' : address;
}

/** Finds the user who has a value of a unique field. Like the email address, the parameter takes any text. */
const uniqueParameters: z.core.$ZodLooseShape = Object.fromEntries(
  uniqueFields.map(({ name }) => [
    name,
    z.optional(parameter).register(z.globalRegistry, {
      description: `Lists only the user with this ${name}, in any case; nobody if none has it.`,
    }),
  ]),
);

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

const searchText = parameter.check(({ value, issues }) => {
  const message = findIssue(value);
  if (message) issues.push({ code: 'custom', input: value, message, continue: true });
});
const q = z.optional(searchText).register(z.globalRegistry, {
  minLength: 1,
  maxLength: MAX_LENGTH,
  description:
    'Lists the users of whose name a word, or the words from one on, begin with this text, or whose email address does; sorted by what matched. It has at least two characters, or one that is Chinese, Japanese or Korean. Case and accents do not matter. Changes show within seconds. Not together with `page`, `order` or `email`.',
});

const enveloped = z.pipe(
  listQuery({ after, order, email, ...uniqueParameters, q }),
  z.transform((query) => ({ ...toListUsers(query), limit: sizes.list })),
);

const bare = z.pipe(
  listQuery({ page, limit, after, order, email, ...uniqueParameters, q }),
  z.transform(({ page = 1, limit = DEFAULT_LIMIT, ...query }) => ({
    ...toListUsers(query),
    limit,
    ...(query.q === undefined ? { page } : {}),
  })),
);

/** The query parameters differ by response format. */
const listQueries: Record<ResponseFormat['name'], z.ZodMiniType<ListUsers>> = { enveloped, bare };

type Parameters = Pick<ListUsers, 'after' | 'order'> & { q?: string | undefined };

/** Ids may be written in upper case, cursors of a search may not. */
function toListUsers({ q, after, order, ...others }: Parameters): Omit<ListUsers, 'limit' | 'page'> {
  if (q !== undefined) return { after, search: q };
  const [by] = listLookups(others);
  return { order, after: after?.toLowerCase(), ...(by ? { by } : {}) };
}

/** The members of a query that find one user. The names of the others are known. */
function listLookups(query: object): NonNullable<ListUsers['by']>[] {
  const members = new Map(Object.entries(query));
  return LOOKUPS.flatMap(({ name, type }) => {
    const text = members.get(name);
    return typeof text === 'string' ? [{ field: name, value: parseValue(type, text) }] : [];
  });
}

const LOOKUPS: Pick<OwnField, 'name' | 'type'>[] = [{ name: 'email', type: 'string' }, ...uniqueFields];

/** RFC 8259 section 6. JavaScript would read others, too: the empty text as 0. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/;

/** Texts that no value has find nobody. A number may have any spelling of JSON, and a time any offset; UTC is stored. */
function parseValue(type: OwnField['type'], text: string): string | number {
  // Links repeat the value, so keep it short.
  if ([...text].length > MAX_VALUE_LENGTH) return '';
  if (type === 'integer' || type === 'number') return NUMBER.test(text) ? Number(text) : text;
  if (type !== 'dateTime') return text;
  // A plus that the client did not encode arrives as a space.
  const time = text.replace(' ', '+');
  return TIME.test(time) && !Number.isNaN(Date.parse(time)) ? new Date(time).toISOString() : text;
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

const NOT_IN_SEARCH = ['page', 'order', ...LOOKUPS.map(({ name }) => name)];
const userId = z.uuid();

function findConflicts(query: Parameters): { name: string; message: string }[] {
  const { after, q } = query;
  if (q === undefined) {
    const isId = after === undefined || userId.safeParse(after).success;
    const [first, ...others] = listLookups(query);
    return [
      ...(isId ? [] : [{ name: 'after', message: 'must be the id of a user' }]),
      ...others.map(({ field }) => ({ name: field, message: `cannot be combined with ${first?.field}` })),
    ];
  }
  const conflicts = NOT_IN_SEARCH.filter((name) => name in query);
  const isCursor = after === undefined || findIssue(q) || decodeSearchCursor(normalizeText(q), after);
  return [
    ...conflicts.map((name) => ({ name, message: 'cannot be combined with q' })),
    ...(isCursor ? [] : [{ name: 'after', message: 'must be from a link to the next page of this search' }]),
  ];
}

/** The OpenAPI document describes the number. */
function wholeNumber(maximum: number) {
  const digits = parameter.check(z.refine((text) => /^[1-9]\d*$/.test(text), 'must be a whole number, at least 1'));
  const number = z
    .pipe(digits, z.transform(Number))
    .check(z.refine((number) => number <= maximum, `must be at most ${maximum}`));
  return z.optional(number);
}

export const listUsersOperation = {
  method: 'GET',
  path: '',
  summary: 'List users',
  description:
    'Lists users in the order of their creation, or those that a search finds. `Link` headers lead to further pages. Every page costs about the same.',
  status: 200,
  scope: 'users:read',
  grant: { table: ['GetItem', 'Query'], index: ['Query'] },
  queries: listQueries,
  response: { name: 'UserList', description: 'The users' },
  read: (event, { name }) => parseInput(listQueries[name], readQuery(event)),
  render: (page, query, format) => format.renderList(page, query),
  // A page between two others has every kind of link.
  examples: [
    {
      request: { page: 2, limit: 1 },
      result: { users: [exampleUser], next: exampleUser.id, total: 3 },
      query: 'page=2&limit=1',
    },
  ],
} as const satisfies RestOperation<ListUsers, UserPage>;
