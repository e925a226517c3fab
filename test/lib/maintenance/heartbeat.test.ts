import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test } from 'vitest';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { heartbeatKey } from '../../../lib/dynamodb/keys.ts';
import { environment } from '../../../lib/environment.ts';
import { heartbeatJob } from '../../../lib/maintenance/heartbeat.ts';
import { runJobs } from '../../../lib/maintenance/run.ts';

const { now } = environment;
afterEach(() => Object.assign(environment, { now }));

const readItem = async () => (await table.send(new GetCommand({ TableName, Key: heartbeatKey }))).Item;

test('each run changes the item: DynamoDB makes no record of a write that changes nothing', async () => {
  const items = [];
  for (const minute of [0, 1]) {
    environment.now = () => minute * 60_000;
    await runJobs([heartbeatJob], () => true);
    items.push(await readItem());
  }
  expect(items).toEqual(['00', '01'].map((at) => ({ ...heartbeatKey, at: `1970-01-01T00:${at}:00.000Z` })));
});
