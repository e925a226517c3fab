import { clearIndex, type IndexOptions, indexPages } from '../../../lib/users/page-index/indexer.ts';
import { openPageIndex } from '../../../lib/users/page-index/reader.ts';
import { findInconsistencies, type Inconsistency } from './find.ts';
import { scanTable } from './items.ts';
import { repair } from './repair.ts';

export type Report = {
  scanned: number;
  users: number;
  /** The findings, by kind. */
  found: Partial<Record<Inconsistency['kind'], number>>;
  repaired: number;
  /** Users whose address another user has claimed: only an operator can decide. */
  conflicts: string[];
  /** The page index counts so many. It differs from `users` while users are created or deleted. */
  indexed: number;
};

type Options = { repairs?: boolean; onProgress?: (scanned: number) => void; index?: IndexOptions };

/** Checks claims, posts, tombstones, search entries and page index. `onProgress` gets the number of items scanned. */
export async function checkTable({ repairs = false, onProgress, index }: Options = {}): Promise<Report> {
  const report: Report = { scanned: 0, users: 0, found: {}, repaired: 0, conflicts: [], indexed: 0 };
  for await (const page of scanTable()) {
    report.scanned += page.items.length;
    report.users += page.users.length;
    for (const each of await findInconsistencies(page)) {
      report.found[each.kind] = (report.found[each.kind] ?? 0) + 1;
      if (repairs && (await repair(each))) report.repaired++;
      else if (each.kind === 'user without claim' && each.claimedBy !== undefined) report.conflicts.push(each.user.id);
    }
    onProgress?.(report.scanned);
  }
  if (repairs) await rebuildIndex(index);
  report.indexed = await openPageIndex().count();
  return report;
}

/** A restored index may contain a part of an indexing step, which no repair of counts can heal. */
async function rebuildIndex(options: IndexOptions = {}): Promise<void> {
  await clearIndex();
  await indexPages(options);
}
