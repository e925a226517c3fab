import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';

export type ConditionalUpdate = Omit<UpdateCommandInput, 'TableName'> & { ConditionExpression: string };

/**
 * False when another writer was first. That includes this one where the answer of its first request was lost: whoever
 * calls this reads again and finds the work done.
 */
export async function tryUpdate(input: ConditionalUpdate): Promise<boolean> {
  try {
    await table.send(new UpdateCommand({ ...input, TableName }));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException || error instanceof TransactionConflictException) return false;
    throw error;
  }
}
