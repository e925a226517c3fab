import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { sendUpdate, writeIf } from '../../../lib/dynamodb/conditional.ts';
import { markOutcomeUnknown, withDeadline } from '../../../lib/dynamodb/requests.ts';

const database = mockClient(table);
afterAll(() => database.restore());
beforeEach(() => database.reset());

const update = () =>
  sendUpdate({
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
  test('is written once', async () => {
    database.on(UpdateCommand).resolves({});
    expect(await update()).toEqual({});
    expect(database.calls()).toHaveLength(1);
  });

  test('is left to the caller on a conflict with a transaction', async () => {
    database.on(UpdateCommand).rejects(conflict());
    expect(await update()).toBe('retry');
    expect(database.calls()).toHaveLength(1);
  });

  test('is resent on a conflict if an earlier request may have been executed', async () => {
    database
      .on(UpdateCommand)
      .rejectsOnce(afterLostAnswer(conflict()))
      .callsFake(({ ExpressionAttributeValues }) => {
        const { ':writeId': S } = ExpressionAttributeValues;
        throw new ConditionalCheckFailedException({ message: 'failed', $metadata: {}, Item: { writeId: { S } } });
      });
    expect(await update()).toEqual({});
    expect(database.calls()).toHaveLength(2);
  });

  test('throws SERVICE_UNAVAILABLE if it may have been written and transactions block it until the deadline', async () => {
    database.on(UpdateCommand).rejects(afterLostAnswer(conflict()));
    await expect(withDeadline(50, update)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  test('throws SERVICE_UNAVAILABLE if another write has overwritten it before it was resent', async () => {
    database.on(UpdateCommand).rejectsOnce(afterLostAnswer(conflict())).rejects(conditionFailed());
    await expect(update()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  test('fails if another write has changed the item', async () => {
    database.on(UpdateCommand).rejects(conditionFailed());
    expect(await update()).toEqual({ failure: { item: { writeId: 'of another write' } } });
  });

  test('fails without an item if there is none', async () => {
    database
      .on(UpdateCommand)
      .rejects(new ConditionalCheckFailedException({ message: 'The conditional request failed', $metadata: {} }));
    expect(await update()).toEqual({ failure: { item: undefined } });
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

const UpdateExpression = 'SET title = :title';

describe.each([
  [
    'Put',
    () => writeIf('Put', { Item, ConditionExpression }),
    new PutCommand({ TableName, Item, ConditionExpression }),
  ],
  [
    'Update',
    () => writeIf('Update', { Key, UpdateExpression, ConditionExpression }),
    new UpdateCommand({ TableName, Key, UpdateExpression, ConditionExpression }),
  ],
  [
    'Delete',
    () => writeIf('Delete', { Key, ConditionExpression }),
    new DeleteCommand({ TableName, Key, ConditionExpression }),
  ],
])('writeIf of a %s', (_, write, command) => {
  test('returns no failure, also after conflicts with transactions', async () => {
    database.onAnyCommand().rejectsOnce(conflict()).rejectsOnce(conflict()).resolves({});
    expect(await write()).toEqual({});
    expect(database.calls()).toHaveLength(3);
    for (const { args } of database.calls()) {
      expect(args[0]).toBeInstanceOf(command.constructor);
      expect(args[0].input).toEqual(command.input);
    }
  });

  test('returns the stored item if the condition fails', async () => {
    database.onAnyCommand().rejects(conditionFailed());
    expect(await write()).toEqual({ failure: { item: { writeId: 'of another write' } } });
  });

  test('throws other errors, and SERVICE_UNAVAILABLE at the deadline', async () => {
    database.onAnyCommand().rejects(failure);
    await expect(write()).rejects.toBe(failure);
    database.onAnyCommand().rejects(conflict());
    await expect(withDeadline(50, write)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
