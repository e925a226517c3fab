import type { Context } from 'aws-lambda';
import { contextOf } from './runtime.ts';

export type Schedule = { stop(): Promise<void> };

type Scheduled = (event: Record<string, never>, context: Context) => Promise<unknown>;

const MINUTE = 60_000;

/** Calls a function at once and then a minute after each call has ended. What fails is logged, and tried again. */
export function startSchedule(name: string, handler: Scheduled): Schedule {
  let [stopped, timer] = [false, undefined as NodeJS.Timeout | undefined];
  const run = async () => {
    // To be stopped is to have no time left.
    const context = { ...contextOf(), getRemainingTimeInMillis: () => (stopped ? 0 : MINUTE) };
    await handler({}, context).catch(({ name: kind, message }: Error) =>
      console.error({ event: `${name} failed`, error: { name: kind, message } }),
    );
    if (!stopped) timer = setTimeout(() => (running = run()), MINUTE);
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
