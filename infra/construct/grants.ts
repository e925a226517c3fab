import type { Grant } from '../../lib/rest/operation.ts';
import { type OperationName, operations } from '../../lib/rest/operations.ts';

export type FunctionName = OperationName | 'graphql' | 'on-change' | 'publish-events' | 'post-webhook' | 'index-pages';

const operationGrants = Object.fromEntries<Grant>(
  Object.entries(operations).map(([name, { grant }]) => [name, grant]),
) as Record<OperationName, Grant>; // Object.entries loses the type of the names.

/** The grants of all functions: those of operations are in their declarations. */
export const grants: Record<FunctionName, Grant> = {
  ...operationGrants,
  graphql: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    index: ['Query'],
  },
  // Corrects derived items of users, too: those transactions need more than the log and the purge of posts.
  'on-change': {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
  },
  // It reads the stream, which has its own permissions, and the bus grants the rest.
  'publish-events': { table: [] },
  // Its queue and its secret grant the rest.
  'post-webhook': { table: [] },
  'index-pages': {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    index: ['Query'],
  },
};

/** With subscriptions=web-function, this server has the place, and the grant, of the function `graphql`. */
export const GRAPHQL_SERVER = 'graphql-server';

/** With selfSignUp, Cognito calls this function, which has no grant. */
export const TOKEN_FUNCTION = 'customize-token';

/** Prints the OpenAPI document of a deployment during synthesis. */
export const OPENAPI_PRINTER = 'print-openapi';

/** All files of functions/. */
export const bundleNames = [...Object.keys(grants), GRAPHQL_SERVER, TOKEN_FUNCTION];
