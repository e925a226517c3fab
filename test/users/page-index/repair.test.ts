import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { blockKey } from '../../../lib/dynamodb/keys.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { indexPages } from '../../../lib/users/page-index/indexer.ts';
import { pages } from '../../../lib/users/page-index/reader.ts';
import { createUserAt } from './fixtures.ts';

const run = promisify(execFile);
const repair = (args: string[], environment: Record<string, string> = {}) =>
  run(process.execPath, ['infra/scripts/repair-page-index.ts', ...args], { env: { ...process.env, ...environment } });

test('the script names and mends each wrong count of the table', async () => {
  for (let user = 0; user < 3; user++) await createUserAt(Date.now() - 3_600_000);
  await indexPages();
  await table.send(
    new UpdateCommand({
      TableName,
      Key: blockKey(2, '0'),
      UpdateExpression: 'SET held = :wrong',
      ExpressionAttributeValues: { ':wrong': 7 },
    }),
  );
  const { stdout } = await repair([]);
  expect(stdout).toBe('level 2, behind 0: 7 is now 3\n3 indexed users recounted, 1 counts mended.\n');
  expect(await pages().count()).toBe(3);
});

test.each([
  ['without a table', [], { TABLE_NAME: '' }, 'Not repaired: Which table?'],
  ['with an option it does not have', ['--all'], {}, "Not repaired: Unknown option '--all'"],
])('%s the script says so and fails', async (_, args, environment, message) => {
  const failed = await repair(args, environment).catch((error) => error);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
});
