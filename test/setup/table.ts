import { randomUUID } from 'node:crypto';
import { afterAll } from 'vitest';
import { databaseEnvironment, startDatabase } from '../../infra/local/database/start.ts';
import { createTable } from '../../infra/local/table.ts';
import { environment } from '../../lib/environment.ts';
import { GENEROUS_TIME_LIMITS } from './time-limits.ts';

// Created before the test file imports a module that reads the environment. The embedded database starts in 10 ms: one
// per file.
if (!process.env.AWS_ENDPOINT_URL_DYNAMODB) {
  const database = await startDatabase();
  // The SDK would prefer the person's profile.
  delete process.env.AWS_PROFILE;
  Object.assign(process.env, databaseEnvironment(database));
  afterAll(database.stop);
}
Object.assign(process.env, GENEROUS_TIME_LIMITS, { TABLE_NAME: `users-${randomUUID()}` });
await createTable(process.env.TABLE_NAME ?? '');

// Time limits of single calls have no variable.
environment.timeout = (ms) => AbortSignal.timeout(ms * 20);
