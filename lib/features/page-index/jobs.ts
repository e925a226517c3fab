import { environment } from '../../environment.ts';
import { parseUuidTime } from '../../input/uuidv7.ts';
import type { Job } from '../../maintenance/run.ts';
import { MIN_KEY } from './blocks.ts';
import { readCheckpoint } from './checkpoint.ts';
import { runCycles } from './indexer.ts';
import { SETTLING_MS } from './timing.ts';
import { verifyCounts } from './verify.ts';

/** Under traffic, runs until the end of the invocation. The turn is as long as all other turns together. */
export const pageIndexJob: Job = {
  name: 'pageIndex',
  turnMs: 25_000,
  async *run(hasTimeLeft) {
    const done = { indexed: 0, folded: 0, ageSeconds: 0 };
    let isUpToDate = false;
    try {
      for await (const cycles of runCycles(hasTimeLeft)) {
        ({ isUpToDate, indexed: done.indexed, folded: done.folded } = cycles);
        yield done;
      }
    } finally {
      done.ageSeconds = isUpToDate ? 0 : await measureAge();
      reportAge(done.ageSeconds);
    }
  },
};

export const pageCountsJob: Job = {
  name: 'pageCounts',
  turnMs: 8_000,
  async *run(hasTimeLeft) {
    let repairs: object[] = [];
    try {
      for await (const found of verifyCounts(hasTimeLeft)) {
        repairs = found;
        yield { repairs };
      }
    } finally {
      if (repairs.length > 0) console.warn({ event: 'page counts repaired', repairs });
    }
  },
};

async function measureAge(): Promise<number> {
  const { indexedUpTo } = await readCheckpoint();
  return indexedUpTo === MIN_KEY ? 0 : Math.max(0, environment.now() - SETTLING_MS - parseUuidTime(indexedUpTo)) / 1000;
}

/**
 * Reports a metric in CloudWatch's embedded metric format. `console` would wrap the line in the JSON log format.
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
