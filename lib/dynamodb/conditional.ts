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
import { Backoff, isOutcomeUnknown, retryOnConflict } from './requests.ts';

/** `item` is set if it exists and the write requested it. */
export type ConditionFailure = { item?: Item | undefined };

export type UpdateResult = { kind: 'written'; item: Item } | { kind: 'conditionFailed'; failure: ConditionFailure };

type Conditional<Input> = Omit<Input, 'TableName' | 'ReturnValues' | 'ConditionExpression'> & {
  ConditionExpression: string;
};

export type Update = Conditional<UpdateCommandInput> & { UpdateExpression: `SET ${string}` };

/**
 * An update that makes its own condition false, for example `version = :read` with `SET version = :next`. After a lost
 * answer, the SDK's retry therefore fails. A random `writeId` on the item then shows that this update succeeded.
 */
export class RepeatableUpdate {
  /** True after a request without an answer: DynamoDB may still execute it. */
  outcomeUnknown = false;
  readonly #input: Update;
  readonly #writeId = environment.randomUUID();

  constructor(input: Update) {
    this.#input = input;
  }

  /** Throws SERVICE_UNAVAILABLE if another write may have overwritten the result of a lost request. */
  async send(): Promise<UpdateResult | { kind: 'conflict' }> {
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

/** Throws CONFLICT if transactions block the update until the deadline. */
export async function updateItem(input: Update): Promise<UpdateResult> {
  const update = new RepeatableUpdate(input);
  const backoff = new Backoff();
  for (;;) {
    const result = await update.send();
    if (result.kind !== 'conflict') return result;
    await backoff.pause(() => (update.outcomeUnknown ? unavailable() : concurrentChanges()));
  }
}

/*
 * `putItemIf`, `deleteItemIf` and `updateItemIf` return false if the condition failed. After a lost answer, an earlier
 * attempt of the same call may be the cause, so false does not mean that nothing was written.
 */

export const putItemIf = (input: Omit<PutCommandInput, 'TableName'>): Promise<boolean> =>
  retryOnConflict(() => tryWrite(new PutCommand({ ...input, TableName })));

/** Returns the existing item, which this call may have put itself after a lost answer. */
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
      if (error instanceof TransactionConflictException) return 'retry';
      throw error;
    }
  });

export const deleteItemIf = (input: Conditional<DeleteCommandInput>): Promise<boolean> =>
  retryOnConflict(() => tryWrite(new DeleteCommand({ ...input, TableName })));

/** Also returns false on a conflict with a transaction: another writer won. */
export const updateItemIf = async (input: Conditional<UpdateCommandInput>): Promise<boolean> =>
  (await tryWrite(new UpdateCommand({ ...input, TableName }))) === true;

async function tryWrite(command: PutCommand | UpdateCommand | DeleteCommand): Promise<boolean | 'retry'> {
  try {
    // `send` has no overload for a union of commands.
    await table.send(command as PutCommand);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    if (error instanceof TransactionConflictException) return 'retry';
    throw error;
  }
}
