import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { blockKey } from '../../../lib/dynamodb/keys.ts';
import { indexPages } from '../../../lib/users/page-index/indexer.ts';
import { openPageIndex } from '../../../lib/users/page-index/reader.ts';
import { createUsersAt } from './fixtures.ts';
import { findViolations } from './invariant.ts';

const run = promisify(execFile);
const repair = (args: string[], environment: Record<string, string> = {}) =>
  run(process.execPath, ['infra/scripts/repair-page-index.ts', ...args], { env: { ...process.env, ...environment } });

beforeAll(async () => {
  await createUsersAt([0, 1, 2].map((user) => Date.now() - 3_600_000 + user));
  await indexPages({ pause: async () => {} });
});

test('the script names and repairs each wrong count of the table', async () => {
  await table.send(
    new UpdateCommand({
      TableName,
      Key: blockKey(2, '0'),
      UpdateExpression: 'SET #count = :wrong',
      ExpressionAttributeNames: { '#count': 'count' },
      ExpressionAttributeValues: { ':wrong': 7 },
    }),
  );
  const { stdout } = await repair([]);
  expect(stdout).toBe(
    'Block 0 of level 2: 7 is now 3\n3 indexed users verified, 1 counts repaired. 6 search entries repaired.\n',
  );
  expect(await openPageIndex().count()).toBe(3);
});

test('with --rebuild the script replaces an index with missing items', async () => {
  await table.send(new DeleteCommand({ TableName, Key: blockKey(1, '0') }));
  expect(await findViolations()).not.toEqual([]);
  const { stdout } = await repair(['--rebuild']);
  expect(stdout).toBe('The index is rebuilt: 3 users indexed. 0 search entries repaired.\n');
  expect(await findViolations()).toEqual([]);
});

test.each([
  ['without a table', [], { TABLE_NAME: '' }, 'Not repaired: Which table?'],
  ['with an unknown option', ['--all'], {}, "Not repaired: Unknown option '--all'"],
])('%s the script says so and fails', async (_, args, environment, message) => {
  const failed = await repair(args, environment).catch((error) => error);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
});
