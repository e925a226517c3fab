import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DeleteCommandInput,
  PutCommand,
  type PutCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { environment } from '../environment.ts';
import { concurrentChanges, unavailable } from '../errors.ts';
import { TableName, table } from './client.ts';
import type { Item } from './keys.ts';
import { AGAIN, type Again, Backoff, isOutcomeUnknown, retryOnConflict } from './requests.ts';

/** A `ConditionExpression` that failed: the item it failed on, where there is one and the write asked to return it. */
export type ConditionFailure = { item?: Item | undefined };

export type WriteResult = { item: Item; failure?: never } | { item?: never; failure: ConditionFailure };

type Conditional<Input> = Omit<Input, 'TableName' | 'ReturnValues' | 'ConditionExpression'> & {
  ConditionExpression: string;
};

export type Update = Conditional<UpdateCommandInput> & { UpdateExpression: `SET ${string}` };

/**
 * An update whose condition is false after the write, e.g. `version = :read` beside `SET version = :next`. The SDK repeats a
 * request whose answer was lost, and the repetition then fails on what the first request wrote. The update therefore stores
 * a random `writeId`: a failed condition on an item with this id is a success.
 */
export class RepeatableUpdate {
  /** An earlier request got no answer, so DynamoDB may still execute it. */
  outcomeUnknown = false;
  readonly #input: Update;
  readonly #writeId = environment.randomUUID();

  constructor(input: Update) {
    this.#input = input;
  }

  /** Throws SERVICE_UNAVAILABLE if another write may have replaced what an earlier request wrote. */
  async send(): Promise<
    { kind: 'written'; item: Item } | { kind: 'conditionFailed'; failure: ConditionFailure } | { kind: 'conflict' }
  > {
    const { UpdateExpression, ...input } = this.#input;
    const command = new UpdateCommand({
      ...input,
      TableName,
      UpdateExpression: UpdateExpression.replace('SET ', 'SET writeId = :writeId, '),
      ExpressionAttributeValues: { ...input.ExpressionAttributeValues, ':writeId': this.#writeId },
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      const { Attributes: item = {} } = await table.send(command);
      return { kind: 'written', item };
    } catch (error) {
      this.outcomeUnknown ||= isOutcomeUnknown(error);
      if (error instanceof TransactionConflictException) return { kind: 'conflict' };
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const item = error.Item && unmarshall(error.Item);
      if (item?.writeId === this.#writeId) return { kind: 'written', item };
      if (this.outcomeUnknown) throw unavailable();
      return { kind: 'conditionFailed', failure: { item } };
    }
  }
}

/** Updates an item and returns it. Throws CONFLICT if the update still meets transactions at the deadline. */
export async function updateItem(input: Update): Promise<WriteResult> {
  const update = new RepeatableUpdate(input);
  const backoff = new Backoff();
  for (;;) {
    const result = await update.send();
    if (result.kind === 'written') return { item: result.item };
    if (result.kind === 'conditionFailed') return { failure: result.failure };
    await backoff.pause(() => (update.outcomeUnknown ? unavailable() : concurrentChanges()));
  }
}

/*
 * The following return false when the condition failed, also if an earlier request had written and its answer was lost:
 * callers then find the work done.
 */

/** Puts an item; it always succeeds if there is no condition. */
export const putItemIf = (input: Omit<PutCommandInput, 'TableName'>): Promise<boolean> =>
  retryOnConflict(() => tryWrite(new PutCommand({ ...input, TableName })));

/** Puts an item if there is none with its key, and returns the one that was there; this may be what an earlier request has put. */
export const putItemIfMissing = (Item: Item): Promise<Item | undefined> =>
  retryOnConflict(async () => {
    const condition = {
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    } as const;
    try {
      await table.send(new PutCommand({ TableName, Item, ...condition }));
      return undefined;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return unmarshall(error.Item ?? {});
      if (error instanceof TransactionConflictException) return AGAIN;
      throw error;
    }
  });

export const deleteItemIf = (input: Conditional<DeleteCommandInput>): Promise<boolean> =>
  retryOnConflict(() => tryWrite(new DeleteCommand({ ...input, TableName })));

export type ConditionalUpdate = Conditional<UpdateCommandInput>;

/** Returns false, too, when it met a transaction: another writer was first. */
export const updateItemIf = async (input: ConditionalUpdate): Promise<boolean> =>
  (await tryWrite(new UpdateCommand({ ...input, TableName }))) === true;

/** Sends one conditional write; returns AGAIN when it met a transaction. */
async function tryWrite(command: PutCommand | UpdateCommand | DeleteCommand): Promise<boolean | Again> {
  try {
    // Each of the three is a command of the client, which has no type for either of them.
    await table.send(command as PutCommand);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    if (error instanceof TransactionConflictException) return AGAIN;
    throw error;
  }
}
