import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { explainEngineErrors } from '../../../../infra/local/database/engine-errors.ts';
import { omitTransactionTokens } from '../../../../infra/local/database/transaction-tokens.ts';
import { TableName } from '../../../../lib/dynamodb/client.ts';
import { isUnavailable } from '../../../../lib/errors.ts';

const FULL =
  'commit failed (backend: database or disk is full) and rollback also failed (backend: cannot rollback - no transaction is active)';
let message = '';
let requests = 0;
const engine = createServer((_, response) => {
  requests++;
  response
    .writeHead(500, { 'content-type': 'application/x-amz-json-1.0' })
    .end(JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message }));
});
await once(engine.listen(0, '127.0.0.1'), 'listening');
const endpoint = `http://127.0.0.1:${(engine.address() as AddressInfo).port}`;
const table = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, maxAttempts: 2 }));
explainEngineErrors(table);
omitTransactionTokens(table);
afterAll(() => {
  table.destroy();
  engine.close().closeAllConnections();
});

const key = { pk: 'a', sk: 'a' };

test.each([
  ['an item', new PutCommand({ TableName, Item: key })],
  ['a transaction', new TransactWriteCommand({ TransactItems: [{ Put: { TableName, Item: key } }] })],
])('reports a full disk from the first response to %s', async (_, command) => {
  [message, requests] = [FULL, 0];
  // Cast: `send` has no overload for a union of commands.
  const error = await table.send(command as PutCommand).catch((error: Error) => error);
  expect(error).toMatchObject({
    message: 'The local database cannot write: database or disk is full',
    retryAfterSeconds: 60,
  });
  expect(isUnavailable(error)).toBe(true);
  expect(requests).toBe(1);
});

test('retries errors that may be temporary', async () => {
  [message, requests] = ['database is locked', 0];
  await expect(table.send(new GetCommand({ TableName, Key: key }))).rejects.toThrow('database is locked');
  expect(requests).toBe(2);
});
