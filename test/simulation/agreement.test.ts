import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createTable } from '../../infra/local/table.ts';
import type { Executed } from './database/database.ts';
import { run } from './run.ts';

// Fewer histories with DynamoDB Local (TEST_DATABASE), which is ten times slower.
const HISTORIES = process.env.TEST_DATABASE ? 10 : 15;

/** Drops error texts, which may differ. */
function normalize(operation: string, response: Response) {
  const { __type, CancellationReasons, Item, Items, Count, LastEvaluatedKey, Attributes, Responses } = response;
  const reasons = CancellationReasons?.map(({ Code, Item }) => ({ Code, Item }));
  return sortNames({
    error: __type?.split('#')[1],
    reasons,
    Item,
    // Sort items, because DynamoDB guarantees no order for scans and batches.
    items: operation === 'Query' ? Items : sortItems(Items),
    Count,
    LastEvaluatedKey,
    Attributes,
    responses: Object.values(Responses ?? {}).map(sortItems),
  });
}

const sortItems = (items: object[] = []) => items.map((item) => JSON.stringify(sortNames(item))).sort();

type Response = {
  __type?: string;
  CancellationReasons?: { Code: string; Item?: object }[];
  Item?: object;
  Items?: object[];
  Count?: number;
  LastEvaluatedKey?: object;
  Attributes?: object;
  Responses?: Record<string, object[]>;
};

function sortNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortNames);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      // Sets have no order.
      .map(([name, part]) => [name, name === 'SS' && Array.isArray(part) ? [...part].sort() : sortNames(part)])
      .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
  );
}

/** Sends an unsigned request, because emulators do not check signatures. The access key chooses the tables. */
async function send(operation: string, input: object): Promise<Response> {
  const { AWS_ENDPOINT_URL_DYNAMODB: url = '', AWS_ACCESS_KEY_ID: key, AWS_REGION: region } = process.env;
  const scope = `${key}/20260101/${region}/dynamodb/aws4_request`;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`,
      'x-amz-date': '20260101T000000Z',
    },
    body: JSON.stringify(input),
  });
  return (await response.json()) as Response;
}

const inTable = (input: object, table: string) =>
  JSON.parse(
    JSON.stringify(input)
      .replaceAll(/"TableName":"users(-restored)?"/g, `"TableName":"${table}"`)
      .replace(/\{"users(-restored)?":/, `{"${table}":`),
  );

async function expectAgreement(executed: Executed[]): Promise<void> {
  const table = `users-${randomUUID()}`;
  await createTable(table);
  for (const [at, { operation, input, answer, isLatest }] of executed.entries()) {
    const response = await send(operation, inTable(input, table));
    // Skips stale and torn reads, which only the simulated database has. Skips parts of a scan, because its order
    // depends on the engine.
    if (isLatest && !(operation === 'Scan' && 'Limit' in input))
      expect({ at, operation, input, answer: normalize(operation, response) }).toEqual({
        at,
        operation,
        input,
        answer: normalize(operation, answer.body),
      });
  }
}

test('the simulated database answers like the database of this test run', async () => {
  const { executed } = await run({ histories: HISTORIES, workers: 1, records: true });
  expect(executed.flat().filter(({ isLatest }) => isLatest).length).toBeGreaterThan(200);
  for (const history of executed) await expectAgreement(history);
});
