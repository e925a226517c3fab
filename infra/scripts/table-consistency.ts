import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import { userKey } from '../../lib/dynamodb/keys.ts';
import { openPageIndex } from '../../lib/features/page-index/reader.ts';
import { rebuildIndex } from '../../lib/features/page-index/rebuild.ts';
import { type Pause, type Repair, repairAll as repairCounts, verifyAll } from '../../lib/features/page-index/verify.ts';
import { listUndeclared } from '../../lib/features/repair/backfill.ts';
import { type Backfill, readBackfill } from '../../lib/features/repair/backfill-record.ts';
import { findInconsistencies, repairAll } from '../../lib/features/repair/comparison.ts';
import type { Duplicate, Kind, Stored } from '../../lib/features/repair/inconsistency.ts';
import { listClaims } from '../../lib/users/list-claims.ts';
import { parseUser } from '../../lib/users/schema.ts';
import { FormerLogs } from './former-logs.ts';

export type Report = {
  scanned: number;
  users: number;
  /** How many inconsistencies were found, by kind. */
  found: Partial<Record<Kind | 'page count that differs' | 'change log that is not listed', number>>;
  repaired: number;
  /** These counts of the page index were repaired. */
  counts: Repair[];
  /** Users with the same address, or value of a unique field: only an operator can decide. */
  duplicates: Duplicate[];
  /** The progress of the backfill, which makes claims and search entries for fields that became unique or searchable. */
  backfill: Backfill | undefined;
  /** The page index counts so many users. It differs from `users` while users are created or deleted. */
  indexed: number;
};

/** A page index that contains a part of an indexing step must be rebuilt: no repair of counts can heal it. */
type Options = {
  repair?: 'counts' | 'rebuild' | undefined;
  onScan?: (items: number) => void;
  onVerify?: (users: number, of: number) => void;
  pause?: Pause;
};

/**
 * Checks claims, posts, tombstones, search entries and page index, and repairs them if that is asked for. It throws before
 * it would remove claims and entries of fields that only the deployed service knows.
 */
export async function checkTable(options: Options = {}): Promise<Report> {
  const backfill = await readBackfill();
  const undeclared = backfill ? listUndeclared(backfill) : [];
  if (options.repair && undeclared.length > 0)
    throw new Error(
      `The service has ${undeclared.join(', ')} as unique or search fields. Name the file of its fields with --fields`,
    );
  const report: Report = {
    ...{ scanned: 0, users: 0, found: {}, repaired: 0, counts: [], duplicates: [], indexed: 0 },
    backfill,
  };
  const logs = new FormerLogs();
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true })) {
    // Every item has a key.
    await checkItems(Items as Stored[], report, options);
    logs.add(Items as Stored[]);
    options.onScan?.(report.scanned);
  }
  await checkLogs(logs, report, options);
  if (options.repair === 'rebuild') await replaceIndex(options);
  else await checkCounts(report, options);
  report.indexed = await openPageIndex().count();
  return report;
}

async function checkItems(items: Stored[], report: Report, { repair }: Options): Promise<void> {
  const users = items.filter(({ sk }) => sk === userKey('').sk).map(parseUser);
  report.scanned += items.length;
  report.users += users.length;
  const inconsistencies = await findInconsistencies({ users, items }, { ConsistentRead: true, listClaims });
  for (const { kind } of inconsistencies) report.found[kind] = (report.found[kind] ?? 0) + 1;
  const repaired = repair ? await repairAll(inconsistencies) : [];
  report.duplicates.push(...(repair ? repaired : inconsistencies).flatMap(({ duplicate }) => duplicate ?? []));
  // The claim goes to the older of two users; both keep the value.
  report.repaired += repaired.filter(({ isWritten, duplicate }) => isWritten && !duplicate).length;
}

async function checkLogs(logs: FormerLogs, report: Report, { repair }: Options): Promise<void> {
  const unlisted = await logs.findUnlisted();
  if (unlisted.length > 0) report.found['change log that is not listed'] = unlisted.length;
  if (!repair) return;
  await logs.list(unlisted);
  report.repaired += unlisted.length;
}

async function replaceIndex({ pause }: Options): Promise<void> {
  const { isUpToDate } = await rebuildIndex(pause ? { pause } : {});
  if (!isUpToDate) throw new Error('index-pages is running, too; it completes the page index');
}

/** Counts that only seemed wrong, because a read lagged, are known as such once they were to be repaired. */
async function checkCounts(report: Report, { repair, onVerify, pause }: Options): Promise<void> {
  let verified = 0;
  let different = 0;
  for await (const block of verifyAll()) {
    if (block.level === 1) verified += block.users;
    onVerify?.(verified, report.users);
    const repairs = repair ? await repairCounts(block, pause) : [];
    report.counts.push(...repairs);
    report.repaired += repairs.length;
    different += (repair ? repairs : block.differences).length;
  }
  if (different > 0) report.found['page count that differs'] = different;
}
