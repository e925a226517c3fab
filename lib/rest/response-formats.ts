import * as z from 'zod';
import type { ListUsers, UserPage } from '../users/list.ts';
import type { User } from '../users/schema.ts';

/** What an operation may answer with: one user, a page of them, or that there is nothing left to show. */
export type Result = User | UserPage | undefined;

/** How one family of paths takes its lists' queries and renders what an operation answers. No operation knows it. */
export type ResponseFormat = {
  path: string;
  listQuery: z.ZodType<ListUsers>;
  /** Headers are in lower case. */
  success(answer: User | UserPage, query: ListUsers): { body: unknown; headers?: Record<string, string> };
};

const MOST = 1000;
/** Text in the query; what a client sees of it is the number. */
const wholeNumber = (most: number, fallback: number, description: string) =>
  z
    .string()
    .refine((text) => /^[1-9]\d*$/.test(text), 'must be a whole number from 1')
    .transform(Number)
    .refine((number) => number <= most, `must be at most ${most}`)
    .optional()
    .default(fallback)
    .meta({ type: 'integer', minimum: 1, maximum: most, default: fallback, description });

const after = z
  .uuid('must be the id of a user')
  .toLowerCase()
  .optional()
  .meta({ description: 'The users behind this id. Links to the next page carry it.' });
/** A query string has a space for a plus that its writer forgot to encode; no address holds a space. */
const email = z
  .string()
  .transform((typed) => typed.trim().replaceAll(' ', '+'))
  .optional()
  .meta({ description: 'Only the user who has this address, in any case of letters; nobody if none has it.' });

/** The record in REST is exactly this. */
const record = ({ id, name, email }: User) => ({ id, name, email });

const link = (path: string, query: Record<string, string | number | undefined>, rel: string) => {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) given.set(key, String(value));
  return `<${path}?${given}>; rel="${rel}"`;
};

const enveloped: ResponseFormat = {
  path: '/api/users',
  listQuery: z.object({ after, email }).transform((query) => ({ ...query, limit: MOST })),
  success(answer, { email }) {
    if (!('users' in answer)) return { body: { data: record(answer) } };
    const { users, next } = answer;
    return {
      body: { data: users.map(record), meta: { total: users.length } },
      ...(next ? { headers: { link: link(this.path, { after: next, email }, 'next') } } : {}),
    };
  },
};

const bare: ResponseFormat = {
  path: '/v1/users',
  listQuery: z.object({
    page: wholeNumber(Number.MAX_SAFE_INTEGER, 1, 'The number of the page; one past the last is empty.'),
    limit: wholeNumber(MOST, 100, 'Users to a page.'),
    after,
    email,
  }),
  success(answer, { page = 1, limit, email }) {
    if (!('users' in answer)) return { body: record(answer) };
    const { users, next, total = 0 } = answer;
    const last = Math.max(1, Math.ceil(total / limit));
    const to = (rel: string, page: number, after?: string) => link(this.path, { page, limit, after, email }, rel);
    const links = [
      to('first', 1),
      ...(page > 1 ? [to('prev', Math.min(page - 1, last))] : []),
      ...(next ? [to('next', page + 1, next)] : []),
      to('last', last),
    ];
    return { body: users.map(record), headers: { 'x-total-count': String(total), link: links.join(', ') } };
  },
};

export const responseFormats = [enveloped, bare];
