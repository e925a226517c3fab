import { afterEach, beforeEach } from 'vitest';
import { type LocalService, startLocalService } from '../setup/local-service.ts';

type Options = {
  environment?: Record<string, string>;
  /** Creates what every test starts from. */
  fill?: (url: string) => Promise<unknown>;
};

/**
 * Starts a new service before each test of the file or `describe` block, and before each retry. Tests share no data:
 * the changes of one test cannot arrive in the next, and a retry finds no leftovers.
 */
export function startServicePerTest(
  args: string[] = [],
  { environment, fill }: Options = {},
): { readonly url: string } {
  let running: LocalService | undefined;
  beforeEach(async () => {
    running = await startLocalService(['--memory', ...args], environment);
    await fill?.(running.url);
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });
  return {
    get url() {
      if (!running) throw new Error('The service runs only while a test does');
      return running.url;
    },
  };
}
