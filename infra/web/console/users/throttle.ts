const DELAY_MS = 1000;
const MAX_REST_MS = 10_000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Runs a task a second after a request for it, so that many requests at once cause one run, and never twice at a time.
 * While requests keep coming, each rest is twice as long as the one before.
 */
export function createThrottle(task: () => Promise<void>): { request: () => void; stop: () => void } {
  let isRequested = false;
  let isRunning = false;
  let isStopped = false;
  const run = async () => {
    isRunning = true;
    for (let restMs = DELAY_MS; isRequested; restMs = Math.min(restMs * 2, MAX_REST_MS)) {
      await sleep(DELAY_MS);
      if (isStopped) return;
      isRequested = false;
      await task();
      await sleep(restMs);
    }
    isRunning = false;
  };
  return {
    request() {
      isRequested = true;
      if (!isRunning) run();
    },
    stop() {
      isStopped = true;
    },
  };
}
