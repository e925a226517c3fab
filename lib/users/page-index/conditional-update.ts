import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';

export type ConditionalUpdate = Omit<UpdateCommandInput, 'TableName'> & { ConditionExpression: string };

/**
 * False when another writer was first, or when this write succeeded but its answer was lost: callers then read again and
 * find the work done.
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
