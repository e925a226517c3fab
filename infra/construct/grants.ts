import { tableSchema } from '../../lib/dynamodb/keys.ts';
import type { Grant } from '../../lib/rest/operation.ts';
import { type OperationName, operations } from '../../lib/rest/operations.ts';

export type FunctionName = OperationName | 'graphql' | 'on-change' | 'publish-events' | 'post-webhook' | 'index-pages';

const operationGrants = Object.fromEntries<Grant>(
  Object.entries(operations).map(([name, { grant }]) => [name, grant]),
) as Record<OperationName, Grant>; // Object.entries loses the key type.

/** Table permissions of each function. Operations declare their own. */
export const grants: Record<FunctionName, Grant> = {
  ...operationGrants,
  graphql: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    index: ['Query'],
  },
  // Also corrects derived items of users.
  'on-change': {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
  },
  // Event source and bus grant the rest.
  'publish-events': { table: [] },
  // Queue and secret grant the rest.
  'post-webhook': { table: [] },
  'index-pages': {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    index: ['Query'],
  },
};

/** A statement of an IAM policy. */
export type Statement = {
  Effect: 'Allow';
  Action: string[];
  Resource: string;
  Condition?: Record<string, Record<string, string | string[]>>;
};

/** Returns the statements that allow exactly the actions of a grant: CDK's grant methods always include the indexes. */
export const listStatements = ({ table, index = [] }: Grant, tableArn: string): Statement[] =>
  [
    { actions: table, Resource: tableArn },
    { actions: index, Resource: `${tableArn}/index/${tableSchema.index.name}` },
  ]
    .filter(({ actions }) => actions.length > 0)
    .map(({ actions, Resource }) => ({
      Effect: 'Allow',
      Action: actions.map((action) => `dynamodb:${action}`),
      Resource,
    }));

/** Replaces `graphql` if subscriptions=web-function. */
export const GRAPHQL_SERVER = 'graphql-server';

/** Called by Cognito, with selfSignUp. Has no table permissions. */
export const TOKEN_FUNCTION = 'customize-token';

export const OPENAPI_PRINTER = 'print-openapi';

/** All files of functions/. */
export const bundleNames = [...Object.keys(grants), GRAPHQL_SERVER, TOKEN_FUNCTION];
