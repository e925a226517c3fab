import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import type { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { table } from './client.ts';

/**
 * Sends one conditional write. False when the condition failed: also when an earlier request had written, and its answer
 * was lost. Undefined when it met a transaction.
 */
export async function tryWrite(command: PutCommand | UpdateCommand | DeleteCommand): Promise<boolean | undefined> {
  try {
    // Each of the three is a command of the client, which has no type for either of them.
    await table.send(command as PutCommand);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    if (error instanceof TransactionConflictException) return undefined;
    throw error;
  }
}
