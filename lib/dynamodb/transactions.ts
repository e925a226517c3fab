import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { environment } from '../environment.ts';
import { type ServiceError, unavailable } from '../errors.ts';
import { table } from './client.ts';
import type { ConditionFailure } from './conditional-writes.ts';
import { AGAIN, type Again, retryOnConflict, wasRepeated } from './retry.ts';

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** The writes of a transaction have names of the caller's choice; undefined ones are left out. */
export type TransactItems<Name extends string> = Record<Name, TransactItem | undefined>;

type Failures<Name extends string> = Partial<Record<Name, ConditionFailure>>;

/**
 * `failures` holds the failed conditions under the names of their items; it is undefined when all was written. With
 * `outcomeUnknown`, an earlier request of it had no answer: it may arrive yet, and find the conditions met.
 */
export type TransactResult<Name extends string> = {
  failures?: Failures<Name>;
  outcomeUnknown?: boolean;
};

/**
 * Writes all items or none. A transaction that DynamoDB cancelled because it met another one is repeated; a function is
 * called for the items of each new attempt. An attempt that takes longer than `attemptMs` is aborted and throws
 * SERVICE_UNAVAILABLE. If all meet others until the deadline, `onTimeout()` is thrown.
 */
export function transact<Name extends string>(
  items: TransactItems<Name> | (() => TransactItems<Name>),
  { attemptMs, onTimeout = unavailable }: { attemptMs?: number; onTimeout?: () => ServiceError } = {},
): Promise<TransactResult<Name>> {
  let attempt: Attempt<Name> | undefined;
  let isThrottled = false;
  const write = async () => {
    attempt ??= createAttempt(typeof items === 'function' ? items() : items, attemptMs);
    const { names, command, signal } = attempt;
    try {
      await table.send(command, signal ? { abortSignal: signal } : {});
      return {};
    } catch (error) {
      if (signal?.aborted) throw unavailable();
      const failures = parseFailures(error, names);
      isThrottled = readCodes(error).some((code) => THROTTLED.test(code));
      attempt.outcomeUnknown ||= wasSentBefore(error);
      if (failures !== AGAIN) return { failures, outcomeUnknown: attempt.outcomeUnknown };
      // Only its own token can tell whether a request whose answer was lost has written.
      if (!attempt.outcomeUnknown) attempt = undefined;
      return AGAIN;
    }
  };
  // An attempt that is kept may have been executed.
  return retryOnConflict(write, () => (attempt || isThrottled ? unavailable() : onTimeout()));
}

type Attempt<Name> = {
  names: Name[];
  command: TransactWriteCommand;
  signal: AbortSignal | undefined;
  outcomeUnknown: boolean;
};

/** Tells whether DynamoDB may have received an earlier request with the same token, which the SDK sent or which still runs. */
const wasSentBefore = (error: unknown) => error instanceof TransactionInProgressException || wasRepeated(error);

/** The token makes the SDK's retry of a request whose answer was lost return the first outcome. */
function createAttempt<Name extends string>(items: TransactItems<Name>, ms: number | undefined): Attempt<Name> {
  // Object.entries forgets the type of the names.
  const present = (Object.entries(items) as [Name, TransactItem | undefined][]).flatMap(([name, item]) =>
    item ? [{ name, item }] : [],
  );
  const TransactItems = present.map(({ item }) => item);
  return {
    names: present.map(({ name }) => name),
    command: new TransactWriteCommand({ TransactItems, ClientRequestToken: environment.randomUUID() }),
    signal: ms === undefined ? undefined : environment.timeout(ms),
    outcomeUnknown: false,
  };
}

/** AGAIN when the transaction has to be repeated. Throws what is neither a conflict nor a failed condition. */
function parseFailures<Name extends string>(error: unknown, names: Name[]): Failures<Name> | Again {
  if (error instanceof TransactionInProgressException) return AGAIN;
  if (!(error instanceof TransactionCanceledException)) throw error;
  // DynamoDB does not evaluate every condition when there is a conflict.
  if (readCodes(error).some((code) => CONFLICT.test(code) || THROTTLED.test(code))) return AGAIN;
  const reasons = error.CancellationReasons ?? [];
  const failed = names.flatMap((name, index) => {
    const { Code, Item } = reasons[index] ?? {};
    return Code === 'ConditionalCheckFailed' ? [[name, { item: Item && unmarshall(Item) }]] : [];
  });
  if (failed.length === 0) throw error;
  // Object.fromEntries forgets the type of the names.
  return Object.fromEntries(failed) as Failures<Name>;
}

const CONFLICT = /^TransactionConflict/;
const THROTTLED = /^(ThrottlingError|ProvisionedThroughputExceeded)/;

/** Returns why DynamoDB cancelled the transaction, for each of its items. */
const readCodes = (error: unknown): string[] =>
  error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []).map(({ Code = '' }) => Code) : [];
