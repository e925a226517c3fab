import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { markOutcomeUnknown, withDeadline } from '../../../lib/dynamodb/requests.ts';
import { sendTransaction, transact } from '../../../lib/dynamodb/transact.ts';
import { environment } from '../../../lib/environment.ts';

const database = mockClient(table);
afterAll(() => database.restore());
beforeEach(() => database.reset());

const items = {
  first: { Delete: { TableName, Key: { pk: 'a', sk: 'a' } } },
  leftOut: undefined,
  second: { Delete: { TableName, Key: { pk: 'b', sk: 'b' } } },
};

const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: `Transaction cancelled [${codes}]`,
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

/** Marks an error as if an earlier attempt of the request may have succeeded. */
function afterLostAnswer<Thrown extends Error>(error: Thrown): Thrown {
  markOutcomeUnknown(error);
  return error;
}

const sentTokens = () =>
  database.commandCalls(TransactWriteCommand).map(({ args: [{ input }] }) => input.ClientRequestToken);

describe('a transaction', () => {
  test.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'is repeated with a new token when DynamoDB cancels it for %s',
    async (code) => {
      database.on(TransactWriteCommand).rejectsOnce(cancelled('None', code)).resolves({});
      expect(await transact(items)).toEqual({});
      expect(new Set(sentTokens()).size).toBe(2);
    },
  );

  test('is resent with the same token while its first request is in progress', async () => {
    const inProgress = afterLostAnswer(
      new TransactionInProgressException({ Message: 'in progress', message: 'in progress', $metadata: {} }),
    );
    database.on(TransactWriteCommand).rejectsOnce(inProgress).resolves({});
    expect(await transact(items)).toEqual({});
    expect(sentTokens()).toHaveLength(2);
    expect(new Set(sentTokens()).size).toBe(1);
  });

  test('keeps its token if an earlier request may have been executed', async () => {
    database
      .on(TransactWriteCommand)
      .rejectsOnce(afterLostAnswer(cancelled('ThrottlingError', 'None')))
      .resolves({});
    expect(await transact(items)).toEqual({});
    expect(new Set(sentTokens()).size).toBe(1);
  });

  test.each([
    ['TransactionConflict', 'ConditionalCheckFailed'],
    ['ConditionalCheckFailed', 'ThrottlingError'],
    ['TransactionConflict', 'ThrottlingError'],
  ])('retries if %s and %s leave conditions unevaluated, and returns the failed ones by name', async (...codes) => {
    database
      .on(TransactWriteCommand)
      .rejectsOnce(cancelled(...codes))
      .rejects(cancelled('None', 'ConditionalCheckFailed'));
    expect(await transact(items)).toEqual({ outcomeUnknown: false, failures: { second: { item: undefined } } });
    expect(database.calls()).toHaveLength(2);
  });

  test.each([
    ['conflicts', cancelled('TransactionConflict', 'None')],
    ['throttles', cancelled('None', 'ThrottlingError')],
    ['may have written', afterLostAnswer(cancelled('TransactionConflict', 'None'))],
  ])('throws SERVICE_UNAVAILABLE when it %s until the deadline', async (_, error) => {
    database.on(TransactWriteCommand).rejects(error);
    await expect(withDeadline(50, () => transact(items))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  test('throws a validation error of DynamoDB without a retry', async () => {
    database.on(TransactWriteCommand).rejects(cancelled('ValidationError', 'None'));
    await expect(transact(items)).rejects.toThrow(/ValidationError/);
    expect(database.calls()).toHaveLength(1);
  });
});

describe('one attempt of a transaction', () => {
  const writes = [{ item: items.first }];

  test('aborts its request at the limit, and throws SERVICE_UNAVAILABLE', async () => {
    const limit = new AbortController();
    const timeout = vi.spyOn(environment, 'timeout').mockReturnValue(limit.signal);
    database.on(TransactWriteCommand).callsFake(() => {
      limit.abort();
      throw new Error('aborted');
    });
    await expect(sendTransaction(writes, 3_000)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(timeout.mock.calls).toEqual([[3_000]]);
    timeout.mockRestore();
    // The type of the mock lacks the options.
    expect(database.calls()[0]?.args as unknown[]).toContainEqual({ abortSignal: limit.signal });
  });

  test('says that a lost request may still be executed if a condition fails', async () => {
    database.on(TransactWriteCommand).rejects(afterLostAnswer(cancelled('ConditionalCheckFailed')));
    const failed = [{ part: writes[0], failure: { item: undefined } }];
    expect(await sendTransaction(writes)).toEqual({ kind: 'conditionFailed', failed, outcomeUnknown: true });
  });

  test('throws other errors', async () => {
    const failure = new Error('AccessDenied');
    database.on(TransactWriteCommand).rejects(failure);
    await expect(sendTransaction(writes, 3_000)).rejects.toBe(failure);
  });
});
