import { createPageReader, type ExportedPage } from '../../../transfer/user-pages.ts';
import { createTransferClient } from '../api/client.ts';
import { findOwners, listMatches } from '../api/search.ts';
import { readUsers } from '../api/selected-users.ts';
import { listUsers } from '../api/users.ts';
import { pendingDeletions } from '../deletions.ts';
import { formatCount } from '../format.ts';
import { jobs, runJob } from '../jobs.ts';
import { notify } from '../notices.tsx';
import { findField, listFieldNames, parseScalar } from '../own-fields.ts';
import type { Filter, Route } from '../route.ts';
import { findConditions, isNarrowed, isUniqueField } from '../users/filter.ts';
import type { Format, UserFile } from './user-file.ts';

type ReadPage = (after: string | undefined, signal: AbortSignal) => Promise<ExportedPage>;
/** `selected`: number of users to export. Other clients may delete some of them meanwhile. */
type Source = { readPage: ReadPage; countUsers?: () => Promise<number | undefined>; selected?: number };

export const labelExport = (route: Route): string => (isNarrowed(route) ? 'Export all matches' : 'Export all users');

export function startExport(route: Route, format: Format): void {
  runExport({ readPage: chooseReader(route), ...(isNarrowed(route) ? {} : { countUsers }) }, format);
}

const SELECTED_PER_PAGE = 100;

/** Reads the users again, because the list lacks times and versions. */
export function exportSelected(ids: readonly string[], format: Format): void {
  const readPage: ReadPage = async (after, signal) => {
    const from = Number(after ?? 0);
    const to = from + SELECTED_PER_PAGE;
    const users = await readUsers(ids.slice(from, to), signal);
    return { users, ...(to < ids.length ? { next: String(to) } : {}) };
  };
  runExport({ readPage, selected: ids.length }, format);
}

async function runExport({ readPage, countUsers, selected }: Source, format: Format): Promise<void> {
  for (const { kind, cancel } of jobs.get()) if (kind === 'Export') cancel();
  let file: UserFile | undefined;
  let after: string | undefined;
  const { status } = await runJob(
    { kind: 'Export', label: 'Exporting', noun: 'user', total: selected },
    async ({ signal, report, proceed }) => {
      if (!file) {
        const { UserFile } = await import('./user-file.ts');
        file = new UserFile(format);
        countUsers?.()
          .then((total) => report({ total }))
          .catch(() => {});
      }
      do {
        await proceed();
        const page = await readPage(after, signal);
        signal.throwIfAborted();
        file.append(page.users.filter(({ id }) => !pendingDeletions.get().has(id)));
        after = page.next;
        report({ done: file.count });
      } while (after !== undefined);
      file.download();
    },
  );
  if (status === 'done') notify({ message: describeExport(file?.count ?? 0, selected), tone: 'done' });
}

function describeExport(exported: number, selected = exported): string {
  const message = `Exported ${formatCount(exported, 'user')}`;
  return exported === selected ? message : `${message}; ${selected - exported} of ${selected} were deleted elsewhere`;
}

async function countUsers(): Promise<number | undefined> {
  return (await listUsers({ limit: 1, page: 1, order: 'asc' })).total;
}

/** Enough to survive an outage of a few minutes. */
const MAX_ATTEMPTS = 12;

const client = createTransferClient(MAX_ATTEMPTS);

function chooseReader(route: Route): ReadPage {
  const readPage = createPageReader(client, listFieldNames());
  const conditions = findConditions(route);
  if (!conditions) return (after, signal) => readPage({ after, order: route.order }, signal);
  const { q: search, filter, sort, order } = conditions;
  // Lists these matches over REST, because GraphQL cannot filter by unique fields.
  if (Object.keys(filter).some(isUniqueField))
    return async (after, signal) => {
      const { users, next } = await listMatches({ ...conditions, limit: 1, ...(after ? { after } : {}) }, signal);
      return { users: await readUsers(listIds(users), signal), ...(next ? { next } : {}) };
    };
  const request = { search, filter: parseFilter(filter), sort, order };
  let owners: ExportedPage['users'] = [];
  return async (after, signal) => {
    if (after === undefined && search && !sort)
      owners = await readUsers(listIds(await findOwners(search, filter, signal)), signal);
    const found = await readPage({ ...request, after }, signal);
    const others = found.users.filter(({ id }) => !owners.some((owner) => owner.id === id));
    return { ...found, users: after === undefined ? [...owners, ...others] : others };
  };
}

const listIds = (users: readonly { id: string }[]) => users.map(({ id }) => id);

const parseFilter = (filter: Filter) =>
  Object.fromEntries(
    Object.entries(filter).map(([name, text]) => {
      const field = findField(name);
      return [name, field ? parseScalar(field, text) : text];
    }),
  );
