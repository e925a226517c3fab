import type { OperationName } from '../../lib/rest/operations.ts';

export type FunctionName = OperationName | 'graphql' | 'on-change' | 'index-pages';

type Action =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'Scan'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem'
  | 'BatchWriteItem';
export type Grant = { table: Action[]; index?: Action[] };

/**
 * The actions that each function may perform on the table and its index. A transaction needs the actions of its writes:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 * Every function needs GetItem for the read that opens the connection during INIT. A test compares the rest with the
 * requests that each function sends.
 */
export const grants: Record<FunctionName, Grant> = {
  'list-users': { table: ['GetItem', 'Query'], index: ['Query'] },
  'get-user': { table: ['GetItem'] },
  'create-user': { table: ['GetItem', 'PutItem'] },
  'replace-user': { table: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'] },
  'update-user': { table: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'] },
  'delete-user': { table: ['GetItem', 'PutItem', 'DeleteItem'] },
  graphql: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    index: ['Query'],
  },
  'on-change': { table: ['GetItem', 'Query', 'PutItem', 'BatchWriteItem'] },
  'index-pages': { table: ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'PutItem', 'UpdateItem'], index: ['Query'] },
};
