import { PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb';
import { TableName } from '../../dynamodb/client.ts';
import { retryOnConflict } from '../../dynamodb/retry.ts';
import { tryWrite } from '../../dynamodb/try-write.ts';

/** False when the condition failed: also when an earlier request had written, and its answer was lost. */
export const putIf = (input: Omit<PutCommandInput, 'TableName'>): Promise<boolean> =>
  retryOnConflict(() => tryWrite(new PutCommand({ TableName, ...input })));
