import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { environment } from '../environment.ts';
import { type ServiceError, unavailable } from '../errors.ts';
import { table } from './client.ts';
import type { ConditionFailure } from './conditional-writes.ts';
import { AGAIN, type Again, isOutcomeUnknown, retryOnConflict } from './retry.ts';

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** An item of a transaction, with whatever the caller needs to know of it when its condition has failed. */
export type Write = { item: TransactItem };

/**
 * `failed` holds the writes whose conditions have failed; it is undefined when all was written. With `outcomeUnknown`, an
 * earlier request of it had no answer: it may arrive yet, and find the conditions met.
 */
export type TransactResult<Each extends Write> = {
  failed?: { write: Each; failure: ConditionFailure }[];
  outcomeUnknown?: boolean;
};

type Options = { attemptMs?: number | undefined; onTimeout?: () => ServiceError };

type Renewal<Each> = { renew?: () => Each[] };

/**
 * Writes all items or none. A transaction that DynamoDB cancelled because it met another one is repeated; `renew` makes the
 * items of each further attempt. An attempt that takes longer than `attemptMs` is aborted and throws
 * SERVICE_UNAVAILABLE. If all meet others until the deadline, `onTimeout()` is thrown.
 */
export function transactAll<Each extends Write>(
  writes: Each[],
  { renew = () => writes, attemptMs, onTimeout = unavailable }: Options & Renewal<Each> = {},
): Promise<TransactResult<Each>> {
  let attempt: Attempt<Each> | undefined = createAttempt(writes, attemptMs);
  let isThrottled = false;
  const write = async () => {
    attempt ??= createAttempt(renew(), attemptMs);
    const { writes, command, signal } = attempt;
    try {
      await table.send(command, signal ? { abortSignal: signal } : {});
      return {};
    } catch (error) {
      if (signal?.aborted) throw unavailable();
      const failed = findFailed(error, writes);
      isThrottled = readCodes(error).some((code) => THROTTLED.test(code));
      attempt.outcomeUnknown ||= isOutcomeUnknown(error);
      if (failed !== AGAIN) return { failed, outcomeUnknown: attempt.outcomeUnknown };
      // Only its own token can tell whether a request whose answer was lost has written.
      if (!attempt.outcomeUnknown) attempt = undefined;
      return AGAIN;
    }
  };
  // An attempt that is kept may have been executed.
  return retryOnConflict(write, () => (attempt || isThrottled ? unavailable() : onTimeout()));
}

/** The writes of a transaction by names of the caller's choice; undefined ones are left out. */
export type TransactItems<Name extends string> = Record<Name, TransactItem | undefined>;

/** Holds the failed conditions under the names of their items. */
type Failures<Name extends string> = Partial<Record<Name, ConditionFailure>>;

/** Writes named items, as `transactAll` does. A function is called for the items of each new attempt. */
export async function transact<Name extends string>(
  items: TransactItems<Name> | (() => TransactItems<Name>),
  options: Options = {},
): Promise<{ failures?: Failures<Name>; outcomeUnknown?: boolean }> {
  const listWrites = () => {
    // Object.entries forgets the type of the names.
    const named = Object.entries(typeof items === 'function' ? items() : items) as [Name, TransactItem | undefined][];
    return named.flatMap(([name, item]) => (item ? [{ name, item }] : []));
  };
  const { failed, ...rest } = await transactAll(listWrites(), { ...options, renew: listWrites });
  if (!failed) return rest;
  // Object.fromEntries forgets it, too.
  const failures = Object.fromEntries(failed.map(({ write, failure }) => [write.name, failure])) as Failures<Name>;
  return { ...rest, failures };
}

type Attempt<Each> = {
  writes: Each[];
  command: TransactWriteCommand;
  signal: AbortSignal | undefined;
  outcomeUnknown: boolean;
};

/** The token makes the SDK's retry of a request whose answer was lost return the first outcome. */
const createAttempt = <Each extends Write>(writes: Each[], ms: number | undefined): Attempt<Each> => ({
  writes,
  command: new TransactWriteCommand({
    TransactItems: writes.map(({ item }) => item),
    ClientRequestToken: environment.randomUUID(),
  }),
  signal: ms === undefined ? undefined : environment.timeout(ms),
  outcomeUnknown: false,
});

/** AGAIN when the transaction has to be repeated. Throws what is neither a conflict nor a failed condition. */
function findFailed<Each>(error: unknown, writes: Each[]): { write: Each; failure: ConditionFailure }[] | Again {
  if (error instanceof TransactionInProgressException) return AGAIN;
  if (!(error instanceof TransactionCanceledException)) throw error;
  // DynamoDB does not evaluate every condition when there is a conflict.
  if (readCodes(error).some((code) => CONFLICT.test(code) || THROTTLED.test(code))) return AGAIN;
  const reasons = error.CancellationReasons ?? [];
  const failed = writes.flatMap((write, index) => {
    const { Code, Item } = reasons[index] ?? {};
    return Code === 'ConditionalCheckFailed' ? [{ write, failure: { item: Item && unmarshall(Item) } }] : [];
  });
  if (failed.length === 0) throw error;
  return failed;
}

const CONFLICT = /^TransactionConflict/;
const THROTTLED = /^(ThrottlingError|ProvisionedThroughputExceeded)/;

/** Returns why DynamoDB cancelled the transaction, for each of its items. */
const readCodes = (error: unknown): string[] =>
  error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []).map(({ Code = '' }) => Code) : [];
