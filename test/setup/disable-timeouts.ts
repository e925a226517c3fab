import { afterEach, beforeEach, vi } from 'vitest';

/** Keeps the timeouts of requests from firing, in tests that send more at once than a busy machine answers in time. */
export function disableTimeouts(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}
