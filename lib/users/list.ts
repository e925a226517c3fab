import { normalizeId } from '../dynamodb/keys.ts';
import { invalidInput } from '../errors.ts';
import { openPageIndex, type PageIndex } from '../features/page-index/reader.ts';
import { findIdIssue, type ListUsers, type UserPage } from './criteria.ts';
import { type OnRead, queryUsers, type Segment, type StartAfter } from './directory.ts';
import { countMatching, listMatching } from './matching.ts';

/** Throws BAD_USER_INPUT for a cursor of another list. */
export async function listUsers(query: ListUsers, onRead: OnRead = () => {}): Promise<UserPage> {
  const { criteria = [], ...byCreation } = query;
  if (criteria.length > 0) {
    const [page, total] = await Promise.all([
      listMatching({ ...byCreation, criteria }, onRead),
      query.isCounted ? countMatching(criteria, onRead) : undefined,
    ]);
    return total === undefined ? page : { ...page, total };
  }
  const page = await listByCreation(byCreation);
  onRead(Math.max(1, page.users.length));
  return page;
}

async function listByCreation({ after, page, ...query }: Omit<ListUsers, 'criteria'>): Promise<UserPage> {
  const issue = after === undefined ? undefined : findIdIssue(after);
  if (issue) throw invalidInput(['after'], issue);
  const index = openPageIndex();
  const reading =
    page === undefined || after !== undefined
      ? listAfter(after === undefined ? undefined : normalizeId(after), query)
      : listPage(index, { ...query, page });
  if (page === undefined && !query.isCounted) return reading;
  const [users, total] = await Promise.all([reading, index.count()]);
  return { ...users, total };
}

async function listAfter(startAfter: StartAfter, { limit, order }: ListUsers): Promise<UserPage> {
  return createPage(await queryUsers(startAfter, limit, order && { order }));
}

/**
 * Page 1 also uses the page index, so that page 2 starts exactly where page 1 ends. Later `desc` pages are read from
 * the oldest end and reversed.
 */
async function listPage(index: PageIndex, { limit, page, order }: ListUsers & { page: number }): Promise<UserPage> {
  const offset = (page - 1) * limit;
  if (order !== 'desc' || offset === 0) {
    const { startAfter, ...skip } = await index.findStart(offset);
    return createPage(await queryUsers(startAfter, limit, { ...skip, order: order ?? 'asc' }));
  }
  const end = (await index.count()) - offset;
  const start = Math.max(0, end - limit);
  if (end <= 0) return { users: [] };
  const { startAfter, ...skip } = await index.findStart(start);
  const { ids, users } = await queryUsers(startAfter, end - start, skip);
  return createPage({ ids: ids.toReversed(), users: users.toReversed(), more: start > 0 });
}

function createPage({ ids, users, more }: Segment): UserPage {
  const last = ids.at(-1);
  return { users, ...(more && last ? { next: last } : {}) };
}
