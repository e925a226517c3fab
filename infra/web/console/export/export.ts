import { createClient } from '../../../../lib/client/client.ts';
import { createPageReader, type ExportedPage } from '../../../transfer/user-pages.ts';
import { findOwners } from '../api/search.ts';
import { searchWords } from '../api/search-words.ts';
import { readUsers } from '../api/selected-users.ts';
import { listUsers } from '../api/users.ts';
import { authorizeFetch } from '../auth/authorized-fetch.ts';
import { pendingDeletions } from '../deletions.ts';
import { formatCount } from '../format.ts';
import { notify } from '../notices.tsx';
import { ownFields } from '../own-fields.ts';
import type { Route } from '../route.ts';
import { createStore } from '../store.ts';
import { findFilter } from '../users/filter.ts';
import type { Format, UserFile } from './user-file.ts';

/** So many users were read; the number of matches of a search is unknown. */
export type Progress = { users: number; total?: number | undefined; error?: string | undefined };

/** It is undefined while nothing is exported. */
export const exportProgress = createStore<Progress | undefined>(undefined);

const update = (changes: Progress): void => exportProgress.set((current) => current && { ...current, ...changes });

type ReadPage = (after: string | undefined, signal: AbortSignal) => Promise<ExportedPage>;

/** The file is saved once it is whole: an export that is cancelled leaves nothing, and one that has failed can continue. */
class Export {
  readonly #readPage: ReadPage;
  readonly #format: Format;
  readonly #stop = new AbortController();
  #file: UserFile | undefined;
  #after: string | undefined;

  constructor(readPage: ReadPage, format: Format) {
    this.#readPage = readPage;
    this.#format = format;
  }

  async run(): Promise<void> {
    const { signal } = this.#stop;
    try {
      const { UserFile } = await import('./user-file.ts');
      this.#file ??= new UserFile(this.#format);
      do {
        const { users, next } = await this.#readPage(this.#after, signal);
        signal.throwIfAborted();
        // Nor does the list show those whose deletion can be undone.
        this.#file.append(users.filter(({ id }) => !pendingDeletions.get().has(id)));
        this.#after = next;
        update({ users: this.#file.count });
      } while (this.#after !== undefined);
      this.#file.download();
      exportProgress.set(() => undefined);
      notify({ message: `Exported ${formatCount(this.#file.count, 'user')}`, tone: 'done' });
    } catch (error) {
      if (!signal.aborted) update({ users: this.#file?.count ?? 0, error: (error as Error).message });
    }
  }

  stop = (): void => this.#stop.abort();
}

let current: Export | undefined;

export const labelExport = (route: Route): string => (findFilter(route) ? 'Export all matches' : 'Export all users');

/** Exports what the list has on all of its pages, in its order, as those may do who can list users. */
export function startExport(route: Route, format: Format): void {
  current?.stop();
  current = new Export(chooseReader(route), format);
  exportProgress.set(() => ({ users: 0 }));
  current.run();
  if (!findFilter(route)) countUsers().catch(() => {});
}

export function continueExport(): void {
  update({ users: exportProgress.get()?.users ?? 0, error: undefined });
  current?.run();
}

export function cancelExport(): void {
  current?.stop();
  exportProgress.set(() => undefined);
}

async function countUsers(): Promise<void> {
  const { total } = await listUsers({ limit: 1, page: 1, order: 'asc' });
  exportProgress.set((progress) => progress && { ...progress, total });
}

/** Some minutes of an outage do not end what has read for as long. */
const MAX_ATTEMPTS = 12;

/** Its requests are not among those that the page shows: there are hundreds. */
const client = createClient({ baseUrl: '', fetch: authorizeFetch(fetch), retries: { maxAttempts: MAX_ATTEMPTS } });

function chooseReader(route: Route): ReadPage {
  const readPage = createPageReader(
    client,
    ownFields.get().map(({ name }) => name),
  );
  const filter = findFilter(route);
  if (!filter) return (after, signal) => readPage({ after, order: route.order }, signal);
  const { q, by } = filter;
  if (by)
    return async (_, signal) => {
      const { users } = await listUsers({ limit: 1, by: by.name, value: q }, signal);
      return { users: await readUsers(users.map(({ id }) => id)) };
    };
  let owners: ExportedPage['users'] = [];
  return async (after, signal) => {
    if (after === undefined) owners = await readUsers((await findOwners(q, signal)).map(({ id }) => id));
    const found = await searchWords(({ q, ...page }) => readPage({ search: q, ...page }, signal), {
      q,
      limit: 100,
      ...(after ? { after } : {}),
    });
    const others = found.users.filter(({ id }) => !owners.some((owner) => owner.id === id));
    return { ...found, users: after === undefined ? [...owners, ...others] : others };
  };
}
