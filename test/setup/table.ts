import { randomUUID } from 'node:crypto';
import { createTable } from '../../infra/local/create-table.ts';
import { GENEROUS_TIME_LIMITS } from './time-limits.ts';

/** One table per test file, created before the file imports a module that reads the environment. */
Object.assign(process.env, GENEROUS_TIME_LIMITS, { TABLE_NAME: `users-${randomUUID()}` });
await createTable(process.env.TABLE_NAME ?? '');

// Time limits of single calls have no variable.
const { timeout } = AbortSignal;
AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms * 20);
