import { BatchWriteCommand, paginateScan, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { userIdOf, userKey } from '../../../lib/dynamodb/keys.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { transact } from '../../../lib/dynamodb/transactions.ts';
import { claimEmail, putNewUser } from '../../../lib/users/transaction-items.ts';

/** Empties the table of this test file. */
export async function clearTable(): Promise<void> {
  const scan = { TableName, ProjectionExpression: 'pk, sk', ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client: table, pageSize: 25 }, scan))
    if (Items.length > 0)
      await table.send(
        new BatchWriteCommand({ RequestItems: { [TableName]: Items.map((Key) => ({ DeleteRequest: { Key } })) } }),
      );
}

/** Creates a user as the service does, at a time of the test's. */
export async function createUserAt(milliseconds: number): Promise<string> {
  const id = uuidv7({ msecs: milliseconds });
  const at = new Date(milliseconds).toISOString();
  const user = { id, name: 'Ada', email: `${id}@example.org`, createdAt: at, updatedAt: at, version: 1 };
  await transact({ user: putNewUser(user), email: claimEmail(user.email, id) });
  return id;
}

/** Does something else just before the `at`-th request that `run` makes; fails where it makes fewer. */
export async function during(run: () => Promise<unknown>, at: number, disturb: () => Promise<unknown>): Promise<void> {
  let left = at;
  table.middlewareStack.add(
    (next) => async (args) => {
      if (left-- === 0) await disturb();
      return next(args);
    },
    { step: 'initialize', name: 'disturb' },
  );
  try {
    await run();
  } finally {
    table.middlewareStack.remove('disturb');
  }
}

export class Crash extends Error {}

/** Lets the `at`-th write that `run` makes be its last: lost on the way there, or only its answer lost. */
export async function crashing(run: () => Promise<unknown>, at: number, written: boolean): Promise<void> {
  let left = at;
  table.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (!/Write|Update|Put|Delete/.test(commandName) || left-- > 0) return next(args);
        if (written) await next(args);
        throw new Crash();
      },
    { step: 'initialize', name: 'crash' },
  );
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  } finally {
    table.middlewareStack.remove('crash');
  }
}

/**
 * Lets the directory lag: queries for ids go on to show `deleted` users, as a GSI may for a while.
 * Ends when the result is called.
 */
export function showDeleted(deleted: Set<string>): () => void {
  table.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { IndexName, ProjectionExpression, ExclusiveStartKey, ExpressionAttributeValues } =
        args.input as QueryCommandInput;
      if (!IndexName || ProjectionExpression !== 'pk') return result;
      // Such a query answers with this; the middleware's type is that of every command.
      const output = result.output as unknown as { Items: { pk: string }[]; LastEvaluatedKey?: { pk: string } };
      const end = output.LastEvaluatedKey?.pk ?? ExpressionAttributeValues?.[':last'];
      const ghosts = [...deleted].filter((id) => {
        const { pk } = userKey(id);
        return pk > (ExclusiveStartKey?.pk ?? '') && pk <= end;
      });
      const ids = new Set([...output.Items.map(({ pk }) => userIdOf(pk)), ...ghosts]);
      output.Items = [...ids].sort().map((id) => ({ pk: userKey(id).pk }));
      return result;
    },
    { step: 'initialize', name: 'ghosts' },
  );
  return () => void table.middlewareStack.remove('ghosts');
}
