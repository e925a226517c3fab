import { afterAll, vi } from 'vitest';
import { environment } from '../../lib/environment.ts';
import { sizes } from '../../lib/sizes.ts';
import { resetDatabase } from './database.ts';

// Recreate the table and restore settings for each test file: the files of a worker share modules.
await resetDatabase();
const original = { environment: Object.getOwnPropertyDescriptors(environment), sizes: structuredClone(sizes) };
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  Object.defineProperties(environment, original.environment);
  Object.assign(sizes, original.sizes);
});
