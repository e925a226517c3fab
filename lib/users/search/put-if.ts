import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { retryOnConflict } from '../../dynamodb/retry.ts';

/** False when the condition failed: also when an earlier request had written, and its answer was lost. */
export const putIf = (input: Omit<PutCommandInput, 'TableName'>): Promise<boolean> =>
  retryOnConflict(async () => {
    try {
      await table.send(new PutCommand({ TableName, ...input }));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      if (error instanceof TransactionConflictException) return undefined;
      throw error;
    }
  });
