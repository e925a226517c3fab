import { randomUUID } from 'node:crypto';
import { createTable } from '../../infra/local/create-table.ts';

/** A table of its own for each test file, made before the file imports what reads the name. */
process.env.TABLE_NAME = `users-${randomUUID()}`;
await createTable(process.env.TABLE_NAME);
