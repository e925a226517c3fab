import { EventEmitter } from 'node:events';
import { type FSWatcher, watch } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { watchFolders } from '../../../../infra/local/dev/watch-folders.ts';

vi.mock('node:fs', async (importOriginal) => ({
  ...(await importOriginal<typeof import('node:fs')>()),
  watch: vi.fn(),
}));

/** Reaching the system's limit would disturb other tests. */
const LIMIT = Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC' });
const MISSING = Object.assign(new Error('ENOENT: no such file or directory'), { code: 'ENOENT' });

function startWatching() {
  const printed = vi.spyOn(console, 'error').mockReset().mockReturnValue();
  watchFolders(['lib/auth', 'lib/posts'], () => {});
  return printed;
}

test("prints one sentence when the system's watch limit is reached", () => {
  vi.mocked(watch).mockImplementation(() => {
    throw LIMIT;
  });
  expect(startWatching().mock.calls).toEqual([[expect.stringContaining(LIMIT.message)]]);
});

test('ignores a folder that was deleted meanwhile', () => {
  vi.mocked(watch).mockImplementation(() => {
    throw MISSING;
  });
  expect(startWatching()).not.toHaveBeenCalled();
});

test('prints an error of a watcher and keeps running', () => {
  const watcher = new EventEmitter() as FSWatcher;
  vi.mocked(watch).mockReturnValue(watcher);
  const printed = startWatching();
  watcher.emit('error', LIMIT);
  expect(printed).toHaveBeenCalledWith(expect.stringContaining(LIMIT.message));
});
