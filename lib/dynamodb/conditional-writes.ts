import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DeleteCommandInput, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { concurrentChanges, unavailable } from '../errors.ts';
import { TableName, table } from './client.ts';
import type { ConditionFailure, Item } from './condition-failure.ts';
import { retryOnConflict, wasRepeated } from './retry.ts';
import { tryWrite } from './try-write.ts';

/*
 * The SDK repeats a request whose answer was lost, and the repetition then fails on what the first request wrote. Each
 * write therefore stores a random `writeId`: a failed condition on an item that holds it is a success. For this the
 * condition has to be false after the write, e.g. `version = :read` beside `SET version = :next`.
 */

export type WriteResult = { item: Item; failure?: never } | { item?: never; failure: ConditionFailure };

type Conditional<Input> = Omit<Input, 'TableName' | 'ReturnValues' | 'ConditionExpression'> & {
  ConditionExpression: string;
};

type Update = Conditional<UpdateCommandInput> & { UpdateExpression: `SET ${string}` };

/**
 * One conditional update, whose expression starts with `SET`. Gives the item as the update left it. Throws CONFLICT if it
 * still meets transactions at the deadline.
 */
export function updateItem({ UpdateExpression, ...input }: Update): Promise<WriteResult> {
  const writeId = randomUUID();
  const command = () =>
    new UpdateCommand({
      ...input,
      TableName,
      UpdateExpression: UpdateExpression.replace('SET ', 'SET writeId = :writeId, '),
      ExpressionAttributeValues: { ...input.ExpressionAttributeValues, ':writeId': writeId },
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  let mayBeWritten = false;
  const write = async () => {
    try {
      const { Attributes: item = {} } = await table.send(command());
      return { item };
    } catch (error) {
      mayBeWritten ||= wasRepeated(error);
      if (error instanceof TransactionConflictException) return undefined;
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const item = error.Item && unmarshall(error.Item);
      if (item?.writeId === writeId) return { item };
      // An earlier request may have written, and another write replaced that: nobody can know.
      if (mayBeWritten) throw unavailable();
      return { failure: { item } };
    }
  };
  return retryOnConflict(write, () => (mayBeWritten ? unavailable() : concurrentChanges()));
}

/** Deletes an item if the condition holds, and nothing otherwise. */
export async function deleteItemIf(input: Conditional<DeleteCommandInput>): Promise<void> {
  await retryOnConflict(() => tryWrite(new DeleteCommand({ ...input, TableName })));
}
