import { getStopSignal, type Job, runJob } from '../../jobs.ts';

/** The API's limit of users per request. */
const MAX_PART = 50;

type JobOptions<Item> = {
  label: string;
  items: readonly Item[];
  /** If it throws, the job stops, and the part can run again. */
  change: (part: readonly Item[]) => Promise<void>;
  /** Sends all parts at once, without waiting for responses. */
  isLeaving?: boolean;
};

let last: Promise<Job | undefined> = Promise.resolve(undefined);

/** Runs after earlier bulk jobs. Returns false if the person cancelled it, or signed out. */
export async function runBulkJob<Item>({ label, items, change, isLeaving }: JobOptions<Item>): Promise<boolean> {
  const parts: Item[][] = [];
  for (let at = 0; at < items.length; at += MAX_PART) parts.push(items.slice(at, at + MAX_PART));
  if (isLeaving) {
    await Promise.all(parts.map(change));
    return true;
  }
  let done = 0;
  const stop = getStopSignal();
  last = last.then(async () => {
    if (stop.aborted) return undefined;
    return runJob({ kind: 'Bulk job', label, noun: 'user', total: items.length }, async ({ report, proceed }) => {
      for (let [part] = parts; part; [part] = parts) {
        await proceed();
        await change(part);
        parts.shift();
        done += part.length;
        report({ done });
      }
    });
  });
  return (await last)?.status === 'done';
}
