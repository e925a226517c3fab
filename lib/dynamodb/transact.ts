import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { environment } from '../environment.ts';
import { unavailable } from '../errors.ts';
import { table } from './client.ts';
import type { ConditionFailure } from './conditional.ts';
import { Backoff, isOutcomeUnknown, retryOnConflict } from './requests.ts';

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
export const MAX_TRANSACTION_ITEMS = 100;

/** Callers may add properties. If a condition fails, `sendTransaction` returns the whole object. */
export type Write = { item: TransactItem };

export type SendResult<Each> =
  | { kind: 'written' }
  /** `outcomeUnknown`: after a lost answer, DynamoDB may still execute an earlier request. */
  | { kind: 'conditionFailed'; failed: { part: Each; failure: ConditionFailure }[]; outcomeUnknown: boolean }
  /** A concurrent write of the same item: DynamoDB cancels one or both, and queues nothing. */
  | { kind: 'conflict' }
  | { kind: 'throttled' };

/**
 * Resends the same request while DynamoDB may execute a lost one. A client token makes that safe: for ten minutes,
 * DynamoDB repeats the first outcome. After `attemptMs`, and at the deadline, throws SERVICE_UNAVAILABLE.
 */
export async function sendTransaction<Each extends Write>(
  writes: readonly Each[],
  attemptMs?: number,
): Promise<SendResult<Each>> {
  const signal = attemptMs === undefined ? undefined : environment.timeout(attemptMs);
  const command = new TransactWriteCommand({
    TransactItems: writes.map(({ item }) => item),
    ClientRequestToken: environment.randomUUID(),
  });
  const backoff = new Backoff();
  for (let outcomeUnknown = false; ; ) {
    try {
      await table.send(command, signal ? { abortSignal: signal } : {});
      return { kind: 'written' };
    } catch (error) {
      if (signal?.aborted) throw unavailable();
      outcomeUnknown ||= error instanceof TransactionInProgressException || isOutcomeUnknown(error);
      if (error instanceof TransactionCanceledException) {
        const result = readReasons(error, writes, outcomeUnknown);
        if (result.kind === 'conditionFailed' || !outcomeUnknown) return result;
      } else if (!(error instanceof TransactionInProgressException)) throw error;
    }
    await backoff.pause();
  }
}

function readReasons<Each extends Write>(
  error: TransactionCanceledException,
  writes: readonly Each[],
  outcomeUnknown: boolean,
): SendResult<Each> {
  // Stryker disable next-line ArrayDeclaration: DynamoDB always sends reasons
  const reasons = error.CancellationReasons ?? [];
  // Stryker disable next-line StringLiteral: DynamoDB always sends a code
  const hasCode = (pattern: RegExp) => reasons.some(({ Code = '' }) => pattern.test(Code));
  // Check throttling and conflicts first: in these cases, DynamoDB does not evaluate all conditions.
  if (hasCode(/^(ThrottlingError|ProvisionedThroughputExceeded)/)) return { kind: 'throttled' };
  if (hasCode(/^TransactionConflict/)) return { kind: 'conflict' };
  const failed = writes.flatMap((part, index) => {
    const { Code, Item } = reasons[index] ?? {};
    return Code === 'ConditionalCheckFailed' ? [{ part, failure: { item: Item && unmarshall(Item) } }] : [];
  });
  if (failed.length === 0) throw error;
  return { kind: 'conditionFailed', failed, outcomeUnknown };
}

export type TransactItems<Name extends string> = Record<Name, TransactItem | undefined>;

/** `failures` is undefined after a successful write. */
type TransactResult<Name extends string> = {
  failures?: Partial<Record<Name, ConditionFailure>>;
  outcomeUnknown?: boolean;
};

export async function tryTransact<Name extends string>(
  items: TransactItems<Name>,
): Promise<TransactResult<Name> | 'retry' | 'throttled'> {
  // Object.entries and Object.fromEntries lose the type of the names.
  const named = Object.entries(items) as [Name, TransactItem | undefined][];
  const result = await sendTransaction(named.flatMap(([name, item]) => (item ? [{ name, item }] : [])));
  switch (result.kind) {
    case 'written':
      return {};
    case 'conditionFailed': {
      const failures = Object.fromEntries(result.failed.map(({ part, failure }) => [part.name, failure]));
      return { failures: failures as Partial<Record<Name, ConditionFailure>>, outcomeUnknown: result.outcomeUnknown };
    }
    case 'conflict':
      return 'retry';
    case 'throttled':
      return 'throttled';
  }
}

/** Retries on conflicts. At the deadline, throws SERVICE_UNAVAILABLE. */
export const transact = <Name extends string>(items: TransactItems<Name>): Promise<TransactResult<Name>> =>
  retryOnConflict(() => tryTransact(items));
