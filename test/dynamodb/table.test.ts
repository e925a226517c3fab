import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { TableName, table, transact, update } from '../../lib/dynamodb/table.ts';

const database = mockClient(table);
beforeEach(() => database.reset());

const WRITES = [
  { Delete: { TableName, Key: { pk: 'a', sk: 'a' } } },
  { Delete: { TableName, Key: { pk: 'b', sk: 'b' } } },
];

const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: `Transaction cancelled [${codes}]`,
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

describe('a transaction', () => {
  test.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'that DynamoDB cancels for %s is tried again',
    async (code) => {
      database.on(TransactWriteCommand).rejectsOnce(cancelled('None', code)).resolves({});
      expect(await transact(WRITES)).toEqual({});
      expect(database.calls()).toHaveLength(2);
    },
  );

  test('tells all conditions that refused it, and so is tried again where one was left open by a conflict', async () => {
    database
      .on(TransactWriteCommand)
      .rejectsOnce(cancelled('TransactionConflict', 'ConditionalCheckFailed'))
      .rejects(cancelled('ConditionalCheckFailed', 'ConditionalCheckFailed'));
    expect(await transact(WRITES)).toEqual({ failures: [{ item: undefined }, { item: undefined }] });
    expect(database.calls()).toHaveLength(2);
  });

  test('that never gets through is unavailable', async () => {
    database.on(TransactWriteCommand).rejects(cancelled('TransactionConflict', 'None'));
    await expect(transact(WRITES)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('that is wrong in itself is a fault, and not tried again', async () => {
    database.on(TransactWriteCommand).rejects(cancelled('ValidationError', 'None'));
    await expect(transact(WRITES)).rejects.toThrow(/ValidationError/);
    expect(database.calls()).toHaveLength(1);
  });
});

test('an update that meets a transaction is tried again', async () => {
  const conflict = new TransactionConflictException({ message: 'Transaction is ongoing', $metadata: {} });
  database
    .on(UpdateCommand)
    .rejectsOnce(conflict)
    .resolves({ Attributes: { name: 'Ada' } });
  expect(await update({ Key: { pk: 'a', sk: 'a' } })).toEqual({ written: { name: 'Ada' } });
});
