import { randomUUID } from 'node:crypto';
import { createTable } from '../../infra/local/create-table.ts';

/** One table per test file, created before the file imports a module that reads TABLE_NAME. */
process.env.TABLE_NAME = `users-${randomUUID()}`;
/** A busy machine must not make requests run out of time; tests of the deadline set their own. */
process.env.REQUEST_TIME_LIMIT_MS = '60000';
await createTable(process.env.TABLE_NAME);
