import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { environment } from '../environment.ts';
import { type ServiceError, unavailable } from '../errors.ts';
import { table } from './client.ts';
import type { ConditionFailure } from './conditional.ts';
import { Backoff, isOutcomeUnknown } from './requests.ts';

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Items per transaction. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
export const MAX_TRANSACTION_ITEMS = 100;

/** An item of a transaction. Callers add what they need to know when its condition fails. */
export type Write = { item: TransactItem };

/** The result of sending a write once. Only `written` changes the table. */
export type SendResult<Each> =
  | { kind: 'written' }
  | { kind: 'conditionFailed'; failed: { part: Each; failure: ConditionFailure }[] }
  /** The write met another write of the same item: DynamoDB cancels both or one, it queues nothing. */
  | { kind: 'conflict' }
  | { kind: 'throttled' };

/**
 * A transaction with its client token: sending it again returns the first outcome for ten minutes. An attempt that takes
 * longer than `attemptMs` since its creation is aborted and throws SERVICE_UNAVAILABLE.
 */
export class Transaction<Each extends Write> {
  /** An earlier request got no answer, so DynamoDB may still execute it. Send the same transaction again. */
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
      if (!(error instanceof TransactionCanceledException)) throw error;
      this.outcomeUnknown ||= isOutcomeUnknown(error);
      return this.#readReasons(error);
    }
  }

  #readReasons(error: TransactionCanceledException): SendResult<Each> {
    const reasons = error.CancellationReasons ?? [];
    const hasCode = (pattern: RegExp) => reasons.some(({ Code = '' }) => pattern.test(Code));
    // DynamoDB does not evaluate every condition when there is a conflict.
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

/** The items of a transaction by names of the caller's choice. Undefined ones are skipped. */
export type TransactItems<Name extends string> = Record<Name, TransactItem | undefined>;

/** The failed conditions under the names of their items. */
type Failures<Name extends string> = Partial<Record<Name, ConditionFailure>>;

/**
 * Writes named items in one transaction and repeats it when it meets others. A function is called for the items of each new
 * attempt. At the deadline throws `onTimeout()`, or SERVICE_UNAVAILABLE if an earlier request may still be executed.
 */
export async function transact<Name extends string>(
  items: TransactItems<Name> | (() => TransactItems<Name>),
  { onTimeout = unavailable }: { onTimeout?: () => ServiceError } = {},
): Promise<{ failures?: Failures<Name>; outcomeUnknown?: boolean }> {
  const createTransaction = () => {
    // Object.entries forgets the type of the names.
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
      // Object.fromEntries forgets the type of the names, too.
      return { failures: Object.fromEntries(named) as Failures<Name>, outcomeUnknown };
    }
    await backoff.pause(() => (outcomeUnknown || result.kind === 'throttled' ? unavailable() : onTimeout()));
    if (!outcomeUnknown) transaction = createTransaction();
  }
}
