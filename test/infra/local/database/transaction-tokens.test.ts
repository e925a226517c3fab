import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test, vi } from 'vitest';
import { omitTransactionTokens } from '../../../../infra/local/database/transaction-tokens.ts';
import { TableName } from '../../../../lib/dynamodb/client.ts';

/** `bytes`: size of the body. `length`: value of Content-Length. */
const sent: { body: Record<string, unknown>; length: number; bytes: number }[] = [];
const table = DynamoDBDocumentClient.from(new DynamoDBClient());
omitTransactionTokens(table);
table.middlewareStack.add(
  (next) => (args) => {
    const { body, headers } = args.request as { body: Uint8Array; headers: Record<string, string> };
    const text = new TextDecoder().decode(body);
    sent.push({ body: JSON.parse(text), length: Number(headers['content-length']), bytes: body.byteLength });
    return next(args);
  },
  { step: 'finalizeRequest', name: 'sent' },
);

test('transactions are sent unchanged except for the token', async () => {
  const warn = vi.spyOn(console, 'warn');
  const texts = ['x","ClientRequestToken":"y"', 'Zoë'];
  for (const name of texts) {
    const Item = { pk: name, sk: 'USER', ClientRequestToken: 'its own' };
    await table.send(
      new TransactWriteCommand({ TransactItems: [{ Put: { TableName, Item } }], ClientRequestToken: 'token' }),
    );
    await table.send(new PutCommand({ TableName, Item }));
  }
  expect(sent).toHaveLength(4);
  for (const [at, { body, length, bytes }] of sent.entries()) {
    const [pk] = texts.slice(Math.floor(at / 2));
    const put = { TableName, Item: { pk: { S: pk }, sk: { S: 'USER' }, ClientRequestToken: { S: 'its own' } } };
    expect(body).toEqual(at % 2 === 0 ? { TransactItems: [{ Put: put }] } : put);
    expect(length).toBe(bytes);
  }
  expect(warn).not.toHaveBeenCalled();
});
