import { BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { deleteItems, getItems, putItems } from '../../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { withDeadline } from '../../../lib/dynamodb/requests.ts';

const database = mockClient(table);
afterAll(() => database.restore());
beforeEach(() => database.reset());

const newKey = (number: number) => ({ pk: `a${number}`, sk: 'a' });
const newItem = (number: number) => ({ ...newKey(number), title: `Title ${number}` });
const range = (count: number) => Array.from({ length: count }, (_, at) => at);

const listReads = () =>
  database.commandCalls(BatchGetCommand).map(({ args: [{ input }] }) => input.RequestItems?.[TableName]);
const listWrites = () =>
  database.commandCalls(BatchWriteCommand).map(({ args: [{ input }] }) => input.RequestItems?.[TableName]);

const READ_ALL = { Responses: { [TableName]: [newItem(0)] } };

test('keys that DynamoDB does not process are read again, and no others', async () => {
  database
    .on(BatchGetCommand)
    .resolvesOnce({ ...READ_ALL, UnprocessedKeys: { [TableName]: { Keys: [newKey(1)], ConsistentRead: true } } })
    .resolvesOnce({ UnprocessedKeys: { [TableName]: { Keys: [newKey(1)] } } })
    .resolvesOnce({ Responses: { [TableName]: [newItem(1)] }, UnprocessedKeys: {} });
  const keys = [newKey(0), newKey(1), newKey(1)];
  expect(await getItems(keys, { ConsistentRead: true })).toEqual([newItem(0), newItem(1)]);
  expect(listReads()).toEqual([
    { Keys: [newKey(0), newKey(1)], ConsistentRead: true },
    { Keys: [newKey(1)], ConsistentRead: true },
    { Keys: [newKey(1)], ConsistentRead: true },
  ]);
});

test('reads are eventually consistent by default, and an answer without unprocessed keys is complete', async () => {
  database.on(BatchGetCommand).resolves(READ_ALL);
  expect(await getItems([newKey(0)])).toEqual([newItem(0)]);
  expect(listReads()).toEqual([{ Keys: [newKey(0)], ConsistentRead: false }]);
});

test('a batch has at most 100 keys to read, and 25 items to write', async () => {
  database.on(BatchGetCommand).resolves({}).on(BatchWriteCommand).resolves({});
  await getItems(range(250).map(newKey));
  expect(listReads().map((read) => read?.Keys?.length)).toEqual([100, 100, 50]);
  await putItems(range(26).map(newItem));
  expect(listWrites().map((writes) => writes?.length)).toEqual([25, 1]);
});

test('no request is sent for no items', async () => {
  expect(await getItems([])).toEqual([]);
  await putItems([]);
  await deleteItems([]);
  expect(database.calls()).toEqual([]);
});

test('items that DynamoDB does not process are written again, and no others', async () => {
  const second = { PutRequest: { Item: newItem(1) } };
  database
    .on(BatchWriteCommand)
    .resolvesOnce({ UnprocessedItems: { [TableName]: [second] } })
    .resolves({ UnprocessedItems: {} });
  await putItems([newItem(0), newItem(1)]);
  expect(listWrites()).toEqual([[{ PutRequest: { Item: newItem(0) } }, second], [second]]);
});

test('items are deleted by their keys', async () => {
  database.on(BatchWriteCommand).resolves({});
  await deleteItems([newKey(2)]);
  expect(listWrites()).toEqual([[{ DeleteRequest: { Key: newKey(2) } }]]);
});

test('a batch that DynamoDB never processes ends at the deadline', async () => {
  const write = [{ DeleteRequest: { Key: newKey(0) } }];
  database
    .on(BatchGetCommand)
    .resolves({ UnprocessedKeys: { [TableName]: { Keys: [newKey(0)] } } })
    .on(BatchWriteCommand)
    .resolves({ UnprocessedItems: { [TableName]: write } });
  const sends: (() => Promise<unknown>)[] = [() => getItems([newKey(0)]), () => deleteItems([newKey(0)])];
  for (const send of sends) await expect(withDeadline(50, send)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});
