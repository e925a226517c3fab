import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { addCapacityMiddleware } from './capacity.ts';
import { unavailable } from '../errors.ts';
import { userKey } from './keys.ts';

export const TableName = process.env.TABLE_NAME ?? 'users';

/** Endpoint, region and credentials come from the standard AWS environment variables. */
export const table = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    // Three attempts end well before a function's own time does, so that callers get an answer.
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 1_500, throwOnRequestTimeout: true },
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);
addCapacityMiddleware(table);

export type Item = Record<string, unknown>;
export type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A condition that failed, with the item it failed on where the write asks for it and there is one. */
export type ConditionFailure = { item?: Item | undefined };

const ATTEMPTS = 16;

/** In milliseconds; less than half of what a function has, as one such loop may stand in another. */
const PATIENCE = 4_000;

/** Repeats an attempt that lost a race (undefined) after a random pause. Throws `unavailable` when it never wins. */
export async function retryOnConflict<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  const end = Date.now() + PATIENCE;
  for (let count = 0; count < ATTEMPTS && Date.now() < end; count++) {
    const result = await attempt();
    if (result !== undefined) return result;
    await sleep(Math.random() * Math.min(400, 10 * 2 ** count));
  }
  throw unavailable();
}

/**
 * Writes all or nothing: `{}` when written, else at the place of each write the refusal of its condition.
 * DynamoDB cancels a transaction that meets another rather than queue it, so that is tried again, each attempt with the
 * writes of its time where they depend on it. With `within`, an attempt that takes longer, in ms, is given up and thrown.
 */
export function transact(
  writes: Write[] | (() => Write[]),
  { within }: { within?: number } = {},
): Promise<{ failures?: (ConditionFailure | undefined)[] }> {
  return retryOnConflict(async () => {
    try {
      const TransactItems = typeof writes === 'function' ? writes() : writes;
      const bound = within === undefined ? {} : { abortSignal: AbortSignal.timeout(within) };
      await table.send(new TransactWriteCommand({ TransactItems }), bound);
      return {};
    } catch (error) {
      return parseConditionFailures(error);
    }
  });
}

function parseConditionFailures(error: unknown): { failures: (ConditionFailure | undefined)[] } | undefined {
  if (!(error instanceof TransactionCanceledException)) throw error;
  const reasons = error.CancellationReasons ?? [];
  // A condition that failed beside a conflict is not all there is to know: which others hold is still open.
  if (reasons.some(({ Code = '' }) => /^(TransactionConflict|Throttl|ProvisionedThr)/.test(Code))) return undefined;
  const failed = (code = '') => code === 'ConditionalCheckFailed';
  if (!reasons.some(({ Code }) => failed(Code))) throw error;
  return {
    failures: reasons.map(({ Code, Item }) => (failed(Code) ? { item: Item && unmarshall(Item) } : undefined)),
  };
}

/** One conditional update: the item as it left it, or a refusal. Tried again where it met a transaction. */
export function update(
  input: Omit<UpdateCommandInput, 'TableName' | 'ReturnValues'>,
): Promise<{ written: Item } | { failed: ConditionFailure }> {
  const answers = { ReturnValues: 'ALL_NEW', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  return retryOnConflict(async () => {
    try {
      const { Attributes = {} } = await table.send(new UpdateCommand({ ...input, TableName, ...answers }));
      return { written: Attributes };
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException)
        return { failed: { item: error.Item && unmarshall(error.Item) } };
      if (error instanceof TransactionConflictException) return undefined;
      throw error;
    }
  });
}

/**
 * The first call pays for the connection and the SDK's own beginnings, so it is made in INIT, which no caller waits for
 * in vain. Nothing hangs on its answer: what fails here fails again, aloud, in the first request.
 */
if (process.env.AWS_LAMBDA_INITIALIZATION_TYPE)
  await table
    .send(new GetCommand({ TableName, Key: userKey('') }), { abortSignal: AbortSignal.timeout(1_000) })
    .catch(() => undefined);
