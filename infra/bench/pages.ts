import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { replaceMeasured } from './costs/costs-page.ts';
import { onTable, recreateTable } from './database.ts';

const { users, out, part } = parseArgs({
  options: {
    users: { type: 'string', default: '1000,100000,1000000' },
    out: { type: 'string', default: import.meta.dirname },
    /** `numbers` (page numbers) or `lists` (filtered and sorted lists). Both by default. */
    part: { type: 'string' },
  },
}).values;

const TableName = 'bench';
const counts = users.split(',').map(Number);

process.env.FIELDS_FILE = 'infra/bench/pages/fields.json';
await onTable(TableName, async () => {
  const { table } = await import('../../lib/dynamodb/client.ts');
  // Raises the time limit: scans are much slower in the embedded database than in DynamoDB.
  const { requestHandler } = table.config;
  if (requestHandler instanceof NodeHttpHandler) requestHandler.updateHttpClientConfig('requestTimeout', 120_000);
  if (part !== 'lists') await measureNumbers();
  if (part === undefined) await recreateTable();
  if (part !== 'numbers') await measureFilteredAndSorted();
});

async function measureNumbers(): Promise<void> {
  await disableStream();
  const { measureAll } = await import('./pages/readings.ts');
  const { markdown } = await import('./pages/report.ts');
  write('numbers', markdown(await measureAll(counts)));
}

async function measureFilteredAndSorted(): Promise<void> {
  await disableStream();
  const { LIMIT } = await import('./pages/readings.ts');
  const { measureLists } = await import('./pages/lists.ts');
  const { listsMarkdown } = await import('./pages/report.ts');
  const most = Math.max(...counts);
  write('lists', listsMarkdown(most, await measureLists(most, LIMIT)));
}

/** The embedded database loads users seven times as fast without a stream. */
async function disableStream(): Promise<void> {
  const StreamSpecification = { StreamEnabled: false };
  await new DynamoDBClient().send(new UpdateTableCommand({ TableName, StreamSpecification }));
}

function write(name: string, measured: string): void {
  const file = `${out}/pages.md`;
  writeFileSync(file, replaceMeasured(readFileSync(file, 'utf8'), measured, name));
  console.log(measured);
}
