import type { MouseEvent } from 'react';
import * as z from 'zod/mini';
import type { Order } from '../../../lib/client/client.ts';
import { sharedStorage } from './auth/page-storage.ts';
import { createStore, useStore } from './store.ts';

/** Several texts find users with any of them. Names of ranges have an operator, such as `score.gte`. */
export type Filter = Readonly<Record<string, string | string[]>>;

/** Stored in the URL, except `previous`. */
export type Route = {
  q: string;
  filter: Filter;
  /** Undefined: by creation, or by the matched text of a search. */
  sort?: string | undefined;
  order: Order;
  page: number;
  size: number;
  after?: string | undefined;
  /** Cursors of earlier pages. Too long for the URL. */
  previous: string[];
  user?: string | undefined;
  tab?: string | undefined;
  compare?: string | undefined;
  /** The page of groups: `all`, `new`, or the id of a group. Undefined: the list of users. */
  groups?: string | undefined;
};

export const PAGE_SIZES = [20, 50, 100];
const DEFAULT_SIZE = 20;
const SIZE_KEY = 'page-size';

/** Later pages ignore the stored size, so that a link to page 2 shows everyone the same users. */
function readUsualSize(page: number): number {
  const size = page > 1 ? DEFAULT_SIZE : Number(sharedStorage.getItem(SIZE_KEY));
  return PAGE_SIZES.includes(size) ? size : DEFAULT_SIZE;
}

const historyState = z.object({ previous: z.array(z.string()) });

const FILTER_PREFIX = 'filter.';

const parseFilter = (parameters: URLSearchParams): Filter =>
  Object.fromEntries(
    [...new Set(parameters.keys())].flatMap((name) => {
      const [first = '', ...more] = parameters.getAll(name);
      const value = more.length > 0 ? [first, ...more] : first;
      return name.startsWith(FILTER_PREFIX) ? [[name.slice(FILTER_PREFIX.length), value]] : [];
    }),
  );

const listFilterParameters = (filter: Filter): [string, string][] =>
  Object.entries(filter).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [FILTER_PREFIX + name, value]),
  );

export const usualOrder = (sort: string | undefined): Order => (sort === undefined ? 'desc' : 'asc');

function parseOrder(parameters: URLSearchParams): Order {
  const order = parameters.get('order');
  return order === 'asc' || order === 'desc' ? order : usualOrder(parameters.get('sort') ?? undefined);
}

/** The service returns ids in lower case. */
const parseId = (id: string | null): string | undefined => id?.toLowerCase();

function parseRoute(search: string, state: unknown): Route {
  const parameters = new URLSearchParams(search);
  const size = Number(parameters.get('size'));
  const page = Math.max(1, Math.trunc(Number(parameters.get('page')) || 1));
  return {
    q: parameters.get('q') ?? '',
    filter: parseFilter(parameters),
    sort: parameters.get('sort') ?? undefined,
    order: parseOrder(parameters),
    page,
    size: PAGE_SIZES.includes(size) ? size : readUsualSize(page),
    after: parameters.get('after') ?? undefined,
    previous: historyState.safeParse(state).data?.previous ?? [],
    user: parseId(parameters.get('user')),
    tab: parameters.get('tab') ?? undefined,
    compare: parseId(parameters.get('compare')),
    groups: parseId(parameters.get('groups')),
  };
}

function formatRoute({ q, filter, sort, order, page, size, after, user, tab, compare, groups }: Route): string {
  const others = {
    ...(sort ? { sort } : {}),
    ...(order === usualOrder(sort) ? {} : { order }),
    ...(page > 1 ? { page: String(page) } : {}),
    ...(size === readUsualSize(page) ? {} : { size: String(size) }),
    ...(after ? { after } : {}),
    ...(user ? { user } : {}),
    ...(user && tab ? { tab } : {}),
    ...(compare ? { compare } : {}),
    ...(groups ? { groups } : {}),
  };
  const parameters = new URLSearchParams([
    ...(q ? [['q', q]] : []),
    ...listFilterParameters(filter),
    ...Object.entries(others),
  ]);
  return parameters.size > 0 ? `?${parameters}` : '/';
}

export const readRoute = () => parseRoute(location.search, history.state);
const route = createStore(readRoute());
addEventListener('popstate', () => route.set(readRoute));

export const useRoute = () => useStore(route);

/** Opening another user resets the tab. */
const applyChanges = (current: Route, changes: Partial<Route>): Route => ({
  ...current,
  ...('user' in changes && changes.user !== current.user ? { tab: undefined } : {}),
  ...changes,
});

export function navigate(changes: Partial<Route>, { replace = false } = {}): void {
  const next = applyChanges(route.get(), changes);
  const url = formatRoute(next);
  if (url === formatRoute(route.get()) && next.size === route.get().size) return;
  const state = { previous: next.previous };
  if (replace) history.replaceState(state, '', url);
  else history.pushState(state, '', url);
  route.set(() => next);
}

export const showList = (change: Partial<Pick<Route, 'q' | 'filter' | 'sort' | 'order'>>): void =>
  navigate({ page: 1, after: undefined, previous: [], groups: undefined, ...change });

/** All users, newest first. */
export const showAll = (): void => showList({ q: '', filter: {}, sort: undefined, order: usualOrder(undefined) });

export function setPageSize(size: number): void {
  sharedStorage.setItem(SIZE_KEY, String(size));
  navigate({ size, page: 1, after: undefined });
}

/** Does nothing if another user was opened meanwhile. */
export function closeUser(id: string): void {
  if (route.get().user === id) navigate({ user: undefined });
}

/** Does nothing if the person has opened another user than `openId` meanwhile, or closed that one. */
export function openInsteadOf(openId: string | undefined, id: string): void {
  if (route.get().user === openId) navigate({ user: id });
}

/** Does nothing if the comparison was closed meanwhile. */
export function closeComparison(compare: string, user: string): void {
  if (route.get().compare === compare) navigate({ compare: undefined, user });
}

export const findPreviousPage = ({ previous }: Route): Partial<Route> => ({
  after: previous.at(-1),
  previous: previous.slice(0, -1),
});

/** Properties of a link. A click does not load the page. */
export const linkTo = (changes: Partial<Route>) => ({
  href: formatRoute(applyChanges(route.get(), changes)),
  onClick(event: MouseEvent): void {
    // A modifier key makes the browser open a new tab or window.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    navigate(changes);
  },
});
