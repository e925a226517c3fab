import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { table } from '../../../lib/dynamodb/client.ts';
import { updateItem } from '../../../lib/dynamodb/conditional.ts';
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

  test('throws SERVICE_UNAVAILABLE if another write may have overwritten it before the SDK retried', async () => {
    database.on(UpdateCommand).rejects(afterLostAnswer(conditionFailed()));
    await expect(update()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
