import { environment } from './environment.ts';
import { continueErasures } from './features/erasure/job.ts';
import { MIN_KEY } from './features/page-index/blocks.ts';
import { readCheckpoint } from './features/page-index/checkpoint.ts';
import { type IndexOptions, indexPages } from './features/page-index/indexer.ts';
import { SETTLING_MS } from './features/page-index/timing.ts';
import { repairAll, verifyAll, verifyNext, verifyRecent } from './features/page-index/verify.ts';
import { backfill } from './features/repair/backfill.ts';
import { verifyChangedUsers, verifyNextUsers } from './features/repair/verify-users.ts';
import { parseUuidTime } from './input/uuidv7.ts';

/** Under traffic a backfill leaves the rest of a minute to the page index. */
const BUSY_BACKFILL_MS = 25_000;

/** Each run of the schedule indexes for as long as there is traffic and time left, and verifies a part. */
export async function runMaintenance(
  hasTimeLeft: () => boolean,
  { now = environment.now, ...options }: IndexOptions = {},
) {
  const settings = { now, ...options };
  const first = await indexPages({ ...settings, hasTimeLeft: () => false });
  const repairs = hasTimeLeft()
    ? [...(await verifyRecent(now(), hasTimeLeft, options.pause)), ...(await verifyNext(options.pause))]
    : [];
  if (repairs.length > 0) console.warn({ event: 'page counts repaired', repairs });
  const erased = await continueErasures(hasTimeLeft);
  const changed = await verifyChangedUsers(now(), hasTimeLeft, options.pause);
  const backfillEnd = first.isBusy ? now() + BUSY_BACKFILL_MS : Number.POSITIVE_INFINITY;
  const backfilled = await backfill(() => hasTimeLeft() && now() < backfillEnd);
  // A backfill goes through all users itself.
  const next = !backfilled && hasTimeLeft() ? await verifyNextUsers(now(), options.pause) : undefined;
  const searchRepairs = changed.entries + (next?.entries ?? 0);
  const claimRepairs = changed.claims + (next?.claims ?? 0);
  if (searchRepairs > 0) console.warn({ event: 'search entries repaired', repairs: searchRepairs });
  if (claimRepairs > 0) console.warn({ event: 'claims repaired', repairs: claimRepairs });
  const rest = first.isBusy && hasTimeLeft() ? await indexPages({ ...settings, hasTimeLeft }) : undefined;
  const { isUpToDate } = rest ?? first;
  const ageSeconds = isUpToDate ? 0 : await measureAge(now());
  reportAge(ageSeconds);
  const [indexed, folded] = [first.indexed + (rest?.indexed ?? 0), first.folded + (rest?.folded ?? 0)];
  const duplicates = [...changed.duplicates, ...(next?.duplicates ?? [])];
  const found = { repairs, searchRepairs, claimRepairs, duplicates };
  const optional = { ...(backfilled ? { backfill: backfilled } : {}), ...(erased.length > 0 ? { erased } : {}) };
  return { indexed, folded, ageSeconds, ...found, ...optional };
}

/** Verifies all, from the block of the top level on that holds `from`; `next` is where to continue when time is up. */
export async function repairIndex(hasTimeLeft: () => boolean, from?: string) {
  const found = { users: 0, repaired: 0, next: undefined as string | undefined };
  for await (const verified of verifyAll(from)) {
    found.repaired += (await repairAll(verified)).length;
    if (verified.level === 1) found.users += verified.users;
    else if (!hasTimeLeft()) return { ...found, next: verified.lastId };
  }
  return found;
}

/** Settled users have waited for so many seconds at most. */
async function measureAge(now: number): Promise<number> {
  const { indexedUpTo } = await readCheckpoint();
  return indexedUpTo === MIN_KEY ? 0 : Math.max(0, now - SETTLING_MS - parseUuidTime(indexedUpTo)) / 1000;
}

/**
 * CloudWatch makes a metric of a line in its embedded metric format, which bypasses `console`: the JSON log format would wrap it.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
function reportAge(IndexAgeSeconds: number): void {
  const { metricsNamespace: Namespace } = environment;
  if (!Namespace) return;
  const metrics = {
    Namespace,
    Dimensions: [[]],
    Metrics: [{ Name: 'IndexAgeSeconds', Unit: 'Seconds' }],
  };
  const line = { _aws: { Timestamp: environment.now(), CloudWatchMetrics: [metrics] }, IndexAgeSeconds };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
