import { afterAll, afterEach, beforeEach } from 'vitest';
import { type LocalService, startLocalService } from '../setup/local-service.ts';

type Options = {
  environment?: Record<string, string>;
  fill?: (url: string) => Promise<unknown>;
};

type Service = { readonly url: string };

/** Starts a new service before each test and retry. */
export const startServicePerTest = (args: string[] = [], options: Options = {}): Service =>
  provide(args, { ...options, isShared: false });

/**
 * Starts a new service only before each retry. Saves a second of CPU time per test. Tests must not depend on lists,
 * totals or changes, because earlier data remains.
 */
export const startSharedService = (args: string[] = [], options: Options = {}): Service =>
  provide(args, { ...options, isShared: true });

function provide(args: string[], { environment, fill, isShared }: Options & { isShared: boolean }): Service {
  let running: LocalService | undefined;
  let isFilled = false;
  const stop = async () => {
    await running?.stop();
    running = undefined;
    isFilled = false;
  };
  beforeEach(async ({ task }) => {
    const isRetry = (task.result?.retryCount ?? 0) > 0;
    if (isFilled && !isRetry) return;
    await stop();
    running = await startLocalService(['--memory', ...args], environment);
    await fill?.(running.url);
    isFilled = true;
  });
  if (isShared) afterAll(stop);
  else afterEach(stop);
  return {
    get url() {
      if (!running) throw new Error('The service runs only while a test does');
      return running.url;
    },
  };
}
