import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { onTable } from './database.ts';

const { users, out } = parseArgs({
  options: {
    users: { type: 'string', default: '1000,100000,1000000' },
    out: { type: 'string', default: import.meta.dirname },
  },
}).values;

const TableName = 'bench';

await onTable(TableName, async () => {
  // Nothing reads it here, and the embedded database loads seven times faster without it.
  await new DynamoDBClient().send(new UpdateTableCommand({ TableName, StreamSpecification: { StreamEnabled: false } }));
  process.env.FIELDS_FILE = 'test/bench/pages/fields.json';
  const { table } = await import('../../lib/dynamodb/client.ts');
  // A page of a Scan takes the embedded database longer than DynamoDB.
  const { requestHandler } = table.config;
  if (requestHandler instanceof NodeHttpHandler) requestHandler.updateHttpClientConfig('requestTimeout', 120_000);
  const { measureAll } = await import('./pages/readings.ts');
  const { chart, markdown } = await import('./pages/report.ts');
  const results = await measureAll(users.split(',').map(Number));
  writeFileSync(`${out}/pages.md`, markdown(results));
  writeFileSync(`${out}/pages.svg`, chart(results));
  console.log(markdown(results));
});
