import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { TableName } from '../../dynamodb/client.ts';
import { tryWrite } from '../../dynamodb/try-write.ts';

export type ConditionalUpdate = Omit<UpdateCommandInput, 'TableName'> & { ConditionExpression: string };

/**
 * False when another writer was first, or when this write succeeded but its answer was lost: callers then read again and
 * find the work done.
 */
export const tryUpdate = async (input: ConditionalUpdate): Promise<boolean> =>
  (await tryWrite(new UpdateCommand({ ...input, TableName }))) ?? false;
