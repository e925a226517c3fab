import { createStore } from '../../store.ts';

export type BulkJob = {
  label: string;
  total: number;
  done: number;
  isPaused: boolean;
  /** Resuming repeats the failed part. */
  error?: string | undefined;
  pause: () => void;
  resume: () => void;
  cancel: () => void;
};

export const currentJob = createStore<BulkJob | undefined>(undefined);

/** The API's limit of users per request. */
const MAX_PART = 50;

type JobOptions<Item> = {
  label: string;
  items: readonly Item[];
  /** If it throws, the job pauses, and the part can run again. */
  change: (part: readonly Item[]) => Promise<void>;
  /** Sends all parts at once, without waiting for responses. */
  isLeaving?: boolean;
};

let last: Promise<unknown> = Promise.resolve();

/** Runs after earlier jobs. Returns false if the person cancelled it. */
export function runJob<Item>(options: JobOptions<Item>): Promise<boolean> {
  const { items, change, isLeaving } = options;
  if (isLeaving) return Promise.all(splitParts(items).map(change)).then(() => true);
  const job = last.then(() => runParts(options));
  last = job.catch(() => {});
  return job;
}

async function runParts<Item>({ label, items, change }: JobOptions<Item>): Promise<boolean> {
  let isCancelled = false;
  let waiting = Promise.withResolvers<void>();
  const update = (changes: Partial<BulkJob>) => currentJob.set((job) => job && { ...job, ...changes });
  const resume = () => {
    update({ isPaused: false, error: undefined });
    waiting.resolve();
  };
  const cancel = () => {
    isCancelled = true;
    resume();
  };
  const pause = (error?: string) => {
    waiting = Promise.withResolvers<void>();
    update({ isPaused: true, error });
  };
  currentJob.set(() => ({
    label,
    total: items.length,
    done: 0,
    isPaused: false,
    pause: () => pause(),
    resume,
    cancel,
  }));
  let done = 0;
  for (const part of splitParts(items)) {
    while (!isCancelled) {
      if (currentJob.get()?.isPaused) await waiting.promise;
      if (isCancelled) break;
      try {
        await change(part);
        break;
      } catch (error) {
        pause((error as Error).message);
      }
    }
    if (isCancelled) break;
    done += part.length;
    update({ done });
  }
  currentJob.set(() => undefined);
  return !isCancelled;
}

function splitParts<Item>(items: readonly Item[]): Item[][] {
  const parts: Item[][] = [];
  for (let at = 0; at < items.length; at += MAX_PART) parts.push(items.slice(at, at + MAX_PART));
  return parts;
}
