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
import { unavailable } from '../errors.ts';
import { TableName, table } from './client.ts';
import type { Item } from './keys.ts';
import { Backoff, isOutcomeUnknown, retryOnConflict } from './requests.ts';

/** `item` is set if it exists and the write requested it. */
export type ConditionFailure = { item?: Item | undefined };

const commands = { Put: PutCommand, Update: UpdateCommand, Delete: DeleteCommand };

type Inputs = { Put: PutCommandInput; Update: UpdateCommandInput; Delete: DeleteCommandInput };

/** `failure` is undefined after a successful write. */
export type WriteResult = { failure?: ConditionFailure };

const readFailure = ({ Item }: ConditionalCheckFailedException): ConditionFailure => ({
  item: Item && unmarshall(Item),
});

/**
 * Retries on conflicts with transactions. After a lost answer, an earlier attempt may have made the condition false, so
 * a failure does not mean that nothing was written.
 */
export const writeIf = <Kind extends keyof Inputs>(
  kind: Kind,
  input: Omit<Inputs[Kind], 'TableName'>,
): Promise<WriteResult> =>
  retryOnConflict(async () => {
    try {
      // TypeScript cannot match a union of commands with a union of inputs.
      await table.send(new commands[kind]({ ...input, TableName } as never) as PutCommand);
      return {};
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return { failure: readFailure(error) };
      if (error instanceof TransactionConflictException) return 'retry';
      throw error;
    }
  });

export type Update = Omit<UpdateCommandInput, 'TableName' | 'ReturnValues' | 'ConditionExpression'> & {
  ConditionExpression: string;
  UpdateExpression: `SET ${string}`;
};

/**
 * An update that makes its own condition false, for example `version = :read` with `SET version = :next`. After a lost
 * answer, a repeated request therefore fails. A random `writeId` on the item then shows that this update succeeded.
 *
 * Returns 'retry' on a conflict with a transaction. Throws SERVICE_UNAVAILABLE if another write may have overwritten
 * the result of a lost request, or if transactions block a repeated request until the deadline.
 */
export async function sendUpdate({ UpdateExpression, ...input }: Update): Promise<WriteResult | 'retry'> {
  const writeId = environment.randomUUID();
  const command = new UpdateCommand({
    ...input,
    TableName,
    UpdateExpression: UpdateExpression.replace('SET ', 'SET writeId = :writeId, '),
    ExpressionAttributeValues: { ...input.ExpressionAttributeValues, ':writeId': writeId },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const backoff = new Backoff();
  for (let outcomeUnknown = false; ; ) {
    try {
      await table.send(command);
      return {};
    } catch (error) {
      outcomeUnknown ||= isOutcomeUnknown(error);
      if (error instanceof ConditionalCheckFailedException) {
        const failure = readFailure(error);
        if (failure.item?.writeId === writeId) return {};
        if (outcomeUnknown) throw unavailable();
        return { failure };
      }
      if (!(error instanceof TransactionConflictException)) throw error;
      if (!outcomeUnknown) return 'retry';
    }
    await backoff.pause();
  }
}
