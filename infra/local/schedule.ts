import type { Context } from 'aws-lambda';
import { createContext } from './runtime.ts';

export type Schedule = { stop(): Promise<void> };

type Scheduled = (event: Record<string, never>, context: Context) => Promise<unknown>;

const MINUTE_MS = 60_000;

/** Calls a function now and every minute, without overlap, even after errors. */
export function startSchedule(name: string, handler: Scheduled): Schedule {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const run = async () => {
    const next = performance.now() + MINUTE_MS;
    // After a stop, the current run sees no remaining time, and ends.
    const context = { ...createContext(), getRemainingTimeInMillis: () => (stopped ? 0 : MINUTE_MS) };
    await handler({}, context).catch(({ name: errorName, message }: Error) =>
      console.error({ event: `${name}-failed`, error: { name: errorName, message } }),
    );
    if (!stopped) timer = setTimeout(() => (running = run()), next - performance.now());
  };
  let running = run();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
