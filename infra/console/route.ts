import type { Order } from './api/users.ts';
import { createStore, useStore } from './store.ts';

/** What the page shows. It is in the address, so that pages can be reloaded, bookmarked and shared. */
export type Route = {
  q: string;
  order: Order;
  page: number;
  size: number;
  /** Where the shown matches of a search start. */
  after?: string | undefined;
  /** The id of the open user, or `new`. */
  user?: string | undefined;
};

export const PAGE_SIZES = [20, 50, 100];
const DEFAULT_SIZE = 20;

export function parseRoute(search: string): Route {
  const parameters = new URLSearchParams(search);
  const size = Number(parameters.get('size'));
  return {
    q: parameters.get('q') ?? '',
    order: parameters.get('order') === 'asc' ? 'asc' : 'desc',
    page: Math.max(1, Math.trunc(Number(parameters.get('page')) || 1)),
    size: PAGE_SIZES.includes(size) ? size : DEFAULT_SIZE,
    after: parameters.get('after') ?? undefined,
    user: parameters.get('user') ?? undefined,
  };
}

export function formatRoute({ q, order, page, size, after, user }: Route): string {
  const parameters = new URLSearchParams({
    ...(q ? { q } : {}),
    ...(order === 'asc' ? { order } : {}),
    ...(page > 1 ? { page: String(page) } : {}),
    ...(size === DEFAULT_SIZE ? {} : { size: String(size) }),
    ...(after ? { after } : {}),
    ...(user ? { user } : {}),
  });
  return parameters.size > 0 ? `?${parameters}` : '/';
}

const route = createStore(parseRoute(location.search));
addEventListener('popstate', () => route.set(() => parseRoute(location.search)));

export const useRoute = () => useStore(route);

/** Typing replaces the current entry of the history; everything else adds one. */
export function navigate(change: Partial<Route>, { replace = false } = {}): void {
  const next = { ...route.get(), ...change };
  const url = formatRoute(next);
  if (url === formatRoute(route.get())) return;
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  route.set(() => next);
}

/** Closes a user, unless another one has been opened since. */
export function closeUser(id: string): void {
  if (route.get().user === id) navigate({ user: undefined });
}

export const linkTo = (change: Partial<Route>): string => formatRoute({ ...route.get(), ...change });
