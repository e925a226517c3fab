import { indexPages } from './indexer.ts';
import { verifyAll, verifyNext } from './verify.ts';

/** Each run of the schedule: indexes what is due, as long as there may be `more`, and recounts a part. */
export async function runIndexJob(more: () => boolean) {
  const { indexed, ageSeconds } = await indexPages({ more });
  reportAge(ageSeconds);
  const mends = more() ? await verifyNext() : [];
  if (mends.length > 0) console.warn({ event: 'page counts mended', mends });
  return { indexed, ageSeconds, mends };
}

/** Recounts all, from the block of level 1 that starts at `from` on; `next` is where to go on when time is up. */
export async function repairIndex(more: () => boolean, from?: string) {
  const found = { users: 0, mended: 0, next: undefined as string | undefined };
  for await (const { behind, users, mends } of verifyAll(from)) {
    found.users += users;
    found.mended += mends.length;
    if (!more()) return { ...found, next: behind };
  }
  return found;
}

/**
 * CloudWatch makes a metric of a line in its embedded metric format. It goes past `console`, whose JSON log format
 * would wrap it. https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
function reportAge(IndexAgeSeconds: number): void {
  const { METRICS_NAMESPACE } = process.env;
  if (!METRICS_NAMESPACE) return;
  const metrics = {
    Namespace: METRICS_NAMESPACE,
    Dimensions: [[]],
    Metrics: [{ Name: 'IndexAgeSeconds', Unit: 'Seconds' }],
  };
  const line = { _aws: { Timestamp: Date.now(), CloudWatchMetrics: [metrics] }, IndexAgeSeconds };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
