import { randomUUID } from 'node:crypto';
import { createTable } from '../../infra/local/create-table.ts';

/** One table per test file, created before the file imports a module that reads TABLE_NAME. */
process.env.TABLE_NAME = `users-${randomUUID()}`;
await createTable(process.env.TABLE_NAME);
