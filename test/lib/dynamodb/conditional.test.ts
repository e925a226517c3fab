import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import {
  deleteItemIf,
  putItemIf,
  putItemIfMissing,
  updateItem,
  updateItemIf,
} from '../../../lib/dynamodb/conditional.ts';
import { markOutcomeUnknown, withDeadline } from '../../../lib/dynamodb/requests.ts';

const database = mockClient(table);
afterAll(() => database.restore());
beforeEach(() => database.reset());

const update = () =>
  updateItem({
    Key: { pk: 'a', sk: 'a' },
    UpdateExpression: 'SET title = :title',
    ConditionExpression: 'version = :read',
    ExpressionAttributeValues: { ':title': 'New', ':read': 1 },
  });

const conditionFailed = () =>
  new ConditionalCheckFailedException({
    message: 'The conditional request failed',
    $metadata: {},
    Item: { writeId: { S: 'of another write' } },
  });

const conflict = () => new TransactionConflictException({ message: 'Transaction is ongoing', $metadata: {} });

/** Marks an error as if an earlier attempt of the request may have succeeded. */
function afterLostAnswer(error: Error): Error {
  markOutcomeUnknown(error);
  return error;
}

const failure = new Error('AccessDenied');

describe('a conditional update', () => {
  test('is retried on a conflict with a transaction', async () => {
    database
      .on(UpdateCommand)
      .rejectsOnce(conflict())
      .resolves({ Attributes: { title: 'New' } });
    expect(await update()).toEqual({ kind: 'written', item: { title: 'New' } });
  });

  test.each([
    ['CONFLICT', 'has not been written', conflict()],
    ['SERVICE_UNAVAILABLE', 'may have been written', afterLostAnswer(conflict())],
  ])('throws %s when it %s and transactions block it until the deadline', async (code, _, error) => {
    database.on(UpdateCommand).rejects(error);
    await expect(withDeadline(50, update)).rejects.toMatchObject({ code });
  });

  test('fails if another write has changed the item', async () => {
    database.on(UpdateCommand).rejects(conditionFailed());
    expect(await update()).toEqual({ kind: 'conditionFailed', failure: { item: { writeId: 'of another write' } } });
  });

  test('fails without an item if there is none', async () => {
    database
      .on(UpdateCommand)
      .rejects(new ConditionalCheckFailedException({ message: 'The conditional request failed', $metadata: {} }));
    expect(await update()).toEqual({ kind: 'conditionFailed', failure: { item: undefined } });
  });

  test('throws other errors without a retry', async () => {
    database.on(UpdateCommand).rejects(failure);
    await expect(update()).rejects.toBe(failure);
    expect(database.calls()).toHaveLength(1);
  });

  test('throws SERVICE_UNAVAILABLE if another write may have overwritten it before the SDK retried', async () => {
    database.on(UpdateCommand).rejects(afterLostAnswer(conditionFailed()));
    await expect(update()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});

const Key = { pk: 'a', sk: 'a' };
const Item = { ...Key, title: 'New' };
const ConditionExpression = 'version = :read';

describe.each([
  [
    'putItemIf',
    () => putItemIf({ Item, ConditionExpression }),
    new PutCommand({ TableName, Item, ConditionExpression }),
  ],
  [
    'deleteItemIf',
    () => deleteItemIf({ Key, ConditionExpression }),
    new DeleteCommand({ TableName, Key, ConditionExpression }),
  ],
])('%s', (_, write, command) => {
  test('returns true, also after conflicts with transactions', async () => {
    database.onAnyCommand().rejectsOnce(conflict()).rejectsOnce(conflict()).resolves({});
    expect(await write()).toBe(true);
    expect(database.calls()).toHaveLength(3);
    for (const { args } of database.calls()) {
      expect(args[0]).toBeInstanceOf(command.constructor);
      expect(args[0].input).toEqual(command.input);
    }
  });

  test('returns false if the condition fails', async () => {
    database.onAnyCommand().rejects(conditionFailed());
    expect(await write()).toBe(false);
  });

  test('throws other errors, and SERVICE_UNAVAILABLE at the deadline', async () => {
    database.onAnyCommand().rejects(failure);
    await expect(write()).rejects.toBe(failure);
    database.onAnyCommand().rejects(conflict());
    await expect(withDeadline(50, write)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});

describe('updateItemIf', () => {
  const write = () => updateItemIf({ Key, ConditionExpression, UpdateExpression: 'SET title = :title' });

  test('returns true for a write', async () => {
    database.on(UpdateCommand).resolves({});
    expect(await write()).toBe(true);
    expect(database.calls()[0]?.args[0].input).toMatchObject({ TableName, Key, ConditionExpression });
  });

  test.each([
    ['a failed condition', conditionFailed()],
    ['a conflict with a transaction, because another writer won', conflict()],
  ])('returns false for %s', async (_, error) => {
    database.on(UpdateCommand).rejects(error);
    expect(await write()).toBe(false);
    expect(database.calls()).toHaveLength(1);
  });

  test('throws other errors', async () => {
    database.on(UpdateCommand).rejects(failure);
    await expect(write()).rejects.toBe(failure);
  });
});

describe('putItemIfMissing', () => {
  test('returns nothing for a new item', async () => {
    database.on(PutCommand).rejectsOnce(conflict()).resolves({});
    expect(await putItemIfMissing(Item)).toBeUndefined();
    expect(database.calls()[1]?.args[0].input).toMatchObject({
      ...{ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  });

  test('returns the item that exists', async () => {
    database.on(PutCommand).rejects(conditionFailed());
    expect(await putItemIfMissing(Item)).toEqual({ writeId: 'of another write' });
  });

  test('throws other errors', async () => {
    database.on(PutCommand).rejects(failure);
    await expect(putItemIfMissing(Item)).rejects.toBe(failure);
  });
});
