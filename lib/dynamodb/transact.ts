import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { environment } from '../environment.ts';
import { type ServiceError, unavailable } from '../errors.ts';
import { table } from './client.ts';
import type { ConditionFailure } from './conditional.ts';
import { Backoff, isOutcomeUnknown } from './requests.ts';

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
export const MAX_TRANSACTION_ITEMS = 100;

/** Callers may add properties. If a condition fails, `send` returns the whole object. */
export type Write = { item: TransactItem };

export type SendResult<Each> =
  | { kind: 'written' }
  | { kind: 'conditionFailed'; failed: { part: Each; failure: ConditionFailure }[] }
  /** A concurrent write of the same item: DynamoDB cancels one or both, and queues nothing. */
  | { kind: 'conflict' }
  | { kind: 'throttled' };

/**
 * A client token makes resending safe: for ten minutes, DynamoDB repeats the first outcome. `attemptMs` after the
 * constructor, requests are aborted and throw SERVICE_UNAVAILABLE.
 */
export class Transaction<Each extends Write> {
  /** True after a request without an answer: DynamoDB may still execute it. Resend the same transaction. */
  outcomeUnknown = false;
  readonly #writes: readonly Each[];
  readonly #command: TransactWriteCommand;
  readonly #signal: AbortSignal | undefined;

  constructor(writes: readonly Each[], attemptMs?: number) {
    this.#writes = writes;
    this.#signal = attemptMs === undefined ? undefined : environment.timeout(attemptMs);
    this.#command = new TransactWriteCommand({
      TransactItems: writes.map(({ item }) => item),
      ClientRequestToken: environment.randomUUID(),
    });
  }

  async send(): Promise<SendResult<Each>> {
    try {
      await table.send(this.#command, this.#signal ? { abortSignal: this.#signal } : {});
      return { kind: 'written' };
    } catch (error) {
      if (this.#signal?.aborted) throw unavailable();
      if (error instanceof TransactionInProgressException) {
        this.outcomeUnknown = true;
        return { kind: 'conflict' };
      }
      // Stryker disable next-line ConditionalExpression: only for the compiler, because other errors have no reasons
      if (!(error instanceof TransactionCanceledException)) throw error;
      this.outcomeUnknown ||= isOutcomeUnknown(error);
      return this.#readReasons(error);
    }
  }

  #readReasons(error: TransactionCanceledException): SendResult<Each> {
    // Stryker disable next-line ArrayDeclaration: DynamoDB always sends reasons
    const reasons = error.CancellationReasons ?? [];
    // Stryker disable next-line StringLiteral: DynamoDB always sends a code
    const hasCode = (pattern: RegExp) => reasons.some(({ Code = '' }) => pattern.test(Code));
    // Check throttling and conflicts first: in these cases, DynamoDB does not evaluate all conditions.
    if (hasCode(/^(ThrottlingError|ProvisionedThroughputExceeded)/)) return { kind: 'throttled' };
    if (hasCode(/^TransactionConflict/)) return { kind: 'conflict' };
    const failed = this.#writes.flatMap((part, index) => {
      const { Code, Item } = reasons[index] ?? {};
      return Code === 'ConditionalCheckFailed' ? [{ part, failure: { item: Item && unmarshall(Item) } }] : [];
    });
    if (failed.length === 0) throw error;
    return { kind: 'conditionFailed', failed };
  }
}

export type TransactItems<Name extends string> = Record<Name, TransactItem | undefined>;

type Failures<Name extends string> = Partial<Record<Name, ConditionFailure>>;

/**
 * Retries on conflicts. Each new transaction calls `items` if it is a function. At the deadline, throws `onTimeout()`,
 * or SERVICE_UNAVAILABLE if DynamoDB may still execute a lost request.
 */
export async function transact<Name extends string>(
  items: TransactItems<Name> | (() => TransactItems<Name>),
  { onTimeout = unavailable }: { onTimeout?: () => ServiceError } = {},
): Promise<{ failures?: Failures<Name>; outcomeUnknown?: boolean }> {
  const createTransaction = () => {
    // Object.entries and Object.fromEntries lose the type of the names.
    const named = Object.entries(typeof items === 'function' ? items() : items) as [Name, TransactItem | undefined][];
    return new Transaction(named.flatMap(([name, item]) => (item ? [{ name, item }] : [])));
  };
  const backoff = new Backoff();
  let transaction = createTransaction();
  for (;;) {
    const result = await transaction.send();
    const { outcomeUnknown } = transaction;
    if (result.kind === 'written') return {};
    if (result.kind === 'conditionFailed') {
      const named = result.failed.map(({ part, failure }) => [part.name, failure]);
      return { failures: Object.fromEntries(named) as Failures<Name>, outcomeUnknown };
    }
    await backoff.pause(() => (outcomeUnknown || result.kind === 'throttled' ? unavailable() : onTimeout()));
    if (!outcomeUnknown) transaction = createTransaction();
  }
}
