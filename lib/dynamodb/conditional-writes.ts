import { randomUUID } from 'node:crypto';
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
import { unavailable } from '../errors.ts';
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

/** One conditional update, whose expression starts with `SET`. Gives the item as the update left it. */
export function updateItem({
  UpdateExpression,
  ...input
}: Conditional<UpdateCommandInput> & { UpdateExpression: `SET ${string}` }) {
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
  return writeOnce(writeId, async () => (await table.send(command())).Attributes ?? {});
}

/** One conditional put. Gives the item that it stored. */
export function putItem({ Item, ...input }: Conditional<PutCommandInput> & { Item: Item }) {
  const writeId = randomUUID();
  const stored = { ...Item, writeId };
  const command = () =>
    new PutCommand({ ...input, TableName, Item: stored, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
  return writeOnce(writeId, async () => {
    await table.send(command());
    return stored;
  });
}

/** Deletes an item if the condition holds, and nothing otherwise. */
export async function deleteItemIf(input: Conditional<DeleteCommandInput>): Promise<void> {
  await retryOnConflict(() => tryWrite(new DeleteCommand({ ...input, TableName })));
}

function writeOnce(writeId: string, write: () => Promise<Item>): Promise<WriteResult> {
  let mayBeWritten = false;
  return retryOnConflict(async () => {
    try {
      return { item: await write() };
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
  });
}
