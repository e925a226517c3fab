import type { GroupIndex } from '../../../transfer/memberships.ts';
import { createTransferClient } from '../api/client.ts';
import { listMatches } from '../api/search.ts';
import { readUsers } from '../api/selected-users.ts';
import { listUsers, type User } from '../api/users.ts';
import { pendingDeletions } from '../deletions.ts';
import { formatCount } from '../format.ts';
import { jobs, runJob } from '../jobs.ts';
import { notify } from '../notices.tsx';
import type { Route } from '../route.ts';
import { createStore } from '../store.ts';
import { findConditions, isNarrowed, listUnknown } from '../users/filter.ts';
import { readOrder } from '../users/order.ts';
import type { Format, UserFile } from './user-file.ts';

type ReadPage = (
  after: string | undefined,
  signal: AbortSignal,
) => Promise<{ users: User[]; next?: string | undefined }>;
/** `selected`: number of users to export. Other clients may delete some of them meanwhile. */
type Source = { readPage: ReadPage; countUsers?: () => Promise<number | undefined>; selected?: number };

export function labelExport(route: Route): string {
  const label = isNarrowed(route) ? 'Export all matches' : 'Export all users';
  const unknown = listUnknown(route.filter);
  return unknown.length > 0 ? `${label} (without the filter ${unknown.join(', ')})` : label;
}

/** Whether CSV files are for other programs than spreadsheets. A reload resets it, because spreadsheets need protection. */
export const plainCsv = createStore(false);

/** The shown list comes first, then all users. */
export const listExports = (route: Route): Route[] => {
  const all = { ...route, q: '', filter: {}, sort: undefined };
  return isNarrowed(route) ? [route, all] : [route];
};

export function startExport(route: Route, format: Format): void {
  runExport({ readPage: createReader(route), ...(isNarrowed(route) ? {} : { countUsers }) }, format);
}

const PAGE_SIZE = 100;

/** Reads the users again, because they were selected some time ago. */
export function exportSelected(ids: readonly string[], format: Format): void {
  const readPage: ReadPage = async (after, signal) => {
    const from = Number(after ?? 0);
    const to = from + PAGE_SIZE;
    const users = await readUsers(ids.slice(from, to), signal);
    return { users, next: to < ids.length ? String(to) : undefined };
  };
  runExport({ readPage, selected: ids.length }, format);
}

async function runExport({ readPage, countUsers, selected }: Source, format: Format): Promise<void> {
  for (const { kind, cancel } of jobs.get()) if (kind === 'Export') cancel();
  const isPlain = plainCsv.get();
  let file: UserFile | undefined;
  let index: GroupIndex | undefined;
  let after: string | undefined;
  const { status } = await runJob(
    { kind: 'Export', label: 'Exporting', noun: 'user', total: selected },
    async ({ signal, report, proceed }) => {
      if (!file) {
        const { UserFile } = await import('./user-file.ts');
        file = new UserFile(format, { isPlain });
        index = (await import('../group-index.ts')).createGroupIndex();
        countUsers?.()
          .then((total) => report({ total }))
          .catch(() => {});
      }
      do {
        await proceed();
        const page = await readPage(after, signal);
        signal.throwIfAborted();
        const users = page.users.filter(({ id }) => !pendingDeletions.get().has(id));
        file.append(await nameGroupsOf(users, index));
        after = page.next;
        report({ done: file.count });
      } while (after !== undefined);
      file.download();
    },
  );
  if (status === 'done') notify({ message: describeExport(file?.count ?? 0, selected), tone: 'done' });
}

/** A group may have been deleted since its members were read. */
async function nameGroupsOf(users: User[], index: GroupIndex | undefined): Promise<User[]> {
  if (!index) return users;
  const { nameGroups } = await import('../../../transfer/memberships.ts');
  return nameGroups(users, { index, onLeftOut: () => {} });
}

function describeExport(exported: number, selected = exported): string {
  const message = `Exported ${formatCount(exported, 'user')}`;
  return exported === selected ? message : `${message}; ${selected - exported} of ${selected} were deleted elsewhere`;
}

async function countUsers(): Promise<number | undefined> {
  return (await listUsers({ limit: 1, page: 1, order: 'asc' })).total;
}

const client = createTransferClient();

function createReader(route: Route): ReadPage {
  const conditions = findConditions(route) ?? { filter: {}, order: readOrder(route) };
  let first = new Set<string>();
  return async (after, signal) => {
    const { users, next } = await listMatches({ ...conditions, limit: PAGE_SIZE, after }, { signal, from: client });
    // Skips owners of the searched text on later pages: the first page has them.
    const others = after === undefined ? users : users.filter(({ id }) => !first.has(id));
    if (after === undefined) first = new Set(users.map(({ id }) => id));
    return { users: others, next };
  };
}
