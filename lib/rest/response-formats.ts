import type { ListUsers, UserPage } from '../users/list.ts';
import type { User } from '../users/schema.ts';
import type { PageLink } from './responses.ts';

export type RenderedList = { body: unknown; headers: { links: PageLink[]; totalCount?: number | undefined } };

/** The routes of one path render users in one format. The operations are the same in every format. */
export type ResponseFormat = {
  name: 'enveloped' | 'bare';
  path: string;
  /** Generators of clients make a class of the tag, and names of the suffix: `createUser`, `createUserEnveloped`. */
  tag: string;
  suffix: '' | 'Enveloped';
  renderUser(user: User): unknown;
  renderList(page: UserPage, query: ListUsers): RenderedList;
};

/** Selects the members that REST shows; version and times are in headers. */
const toRecord = ({ id, name, email }: User) => ({ id, name, email });

/** Links to other pages of a list repeat these; they leave out the default order. */
const repeatSelection = ({ order, email, search }: ListUsers) => ({
  order: order === 'desc' ? order : undefined,
  email,
  q: search,
});

const ENVELOPED_PATH = '/api/users';

const enveloped: ResponseFormat = {
  name: 'enveloped',
  path: ENVELOPED_PATH,
  tag: 'Users (enveloped)',
  suffix: 'Enveloped',
  renderUser: (user) => ({ data: toRecord(user) }),
  renderList: ({ users, next }, query) => ({
    body: { data: users.map(toRecord), meta: { total: users.length } },
    headers: {
      links: next ? [{ rel: 'next', path: ENVELOPED_PATH, query: { after: next, ...repeatSelection(query) } }] : [],
    },
  }),
};

const bare: ResponseFormat = {
  name: 'bare',
  path: '/v1/users',
  tag: 'Users',
  suffix: '',
  renderUser: toRecord,
  renderList: (page, query) => ({
    body: page.users.map(toRecord),
    headers: { links: linkPages(page, query), totalCount: page.total },
  }),
};

function linkPages({ next, total = 0 }: UserPage, query: ListUsers): PageLink[] {
  const { page = 1, limit, search } = query;
  const last = Math.max(1, Math.ceil(total / limit));
  const link = (rel: string, page: number | undefined, after?: string) => ({
    rel,
    path: bare.path,
    query: { page, limit, after, ...repeatSelection(query) },
  });
  if (search !== undefined) return next ? [link('next', undefined, next)] : [];
  return [
    link('first', 1),
    ...(page > 1 ? [link('prev', Math.min(page - 1, last))] : []),
    ...(next ? [link('next', page + 1, next)] : []),
    link('last', last),
  ];
}

export const responseFormats = [enveloped, bare];
