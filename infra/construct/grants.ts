import { tableSchema, uniqueKey, userKey } from '../../lib/dynamodb/keys.ts';
import { groupKey } from '../../lib/features/groups/keys.ts';
import type { Grant } from '../../lib/rest/operation.ts';
import { type OperationName, operations } from '../../lib/rest/operations.ts';
import { nameClaims } from '../../lib/users/fields/values.ts';
import { type FieldDeclarations, findSubject } from '../own-fields/rules.ts';

export type FunctionName = OperationName | 'graphql' | 'on-change' | 'publish-events' | 'post-webhook' | 'index-pages';

const operationGrants = Object.fromEntries<Grant>(
  Object.entries(operations).map(([name, { grant }]) => [name, grant]),
) as Record<OperationName, Grant>; // Cast: Object.entries widens keys to string.

/** Each REST operation declares its own grant. */
export const grants: Record<FunctionName, Grant> = {
  ...operationGrants,
  graphql: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    index: ['Query'],
  },
  // Appends to the change log, deletes posts of deleted users, and corrects claims and index entries.
  'on-change': {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
  },
  // CDK grants access to the stream and the bus.
  'publish-events': { table: [] },
  'post-webhook': { table: [] },
  'index-pages': {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    index: ['Query'],
  },
};

/** Requests to these functions can add a user to groups. `graphql` already may read all items. */
const ADDS_GROUPS: readonly string[] = ['create-user', 'replace-user', 'update-user'] satisfies FunctionName[];

/** Returns the grant of a function. The setting `groups` adds reads of groups. */
export function findGrant(name: FunctionName, fields: FieldDeclarations): Grant {
  const grant = grants[name];
  if (!ADDS_GROUPS.includes(name) || !Object.values(fields).some(({ type }) => type === 'membership')) return grant;
  return { ...grant, table: [...grant.table, 'BatchGetItem'], partitions: { BatchGetItem: [groupKey('*').pk] } };
}

export type Statement = {
  Effect: 'Allow';
  Action: string[];
  Resource: string;
  Condition?: Record<string, Record<string, string | string[]>>;
};

/** CDK's grant methods would also allow the actions on all indexes. */
export function listStatements({ table, index = [], partitions = {} }: Grant, tableArn: string): Statement[] {
  const statements: Statement[] = [];
  const allow = (actions: readonly string[], Resource: string, limit: Pick<Statement, 'Condition'> = {}) => {
    const Action = actions.map((action) => `dynamodb:${action}`);
    if (Action.length > 0) statements.push({ Effect: 'Allow', Action, Resource, ...limit });
  };
  allow(
    table.filter((action) => !partitions[action]),
    tableArn,
  );
  for (const [action, keys] of Object.entries(partitions))
    allow([action], tableArn, { Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...keys] } } });
  allow(index, `${tableArn}/index/${tableSchema.index.name}`);
  return statements;
}

/** Deployed instead of `graphql` if subscriptions=web-function. */
export const GRAPHQL_SERVER = 'graphql-server';

/** Called before Cognito issues tokens, if selfSignUp is on. */
export const TOKEN_FUNCTION = 'customize-token';

/** Reads the record of a person by the subject, if a field blocks people. */
export function createTokenGrant(fields: FieldDeclarations): Grant {
  const name = findSubject(fields);
  if (name === undefined || !Object.values(fields).some(({ blocks }) => blocks)) return { table: [] };
  const claims = nameClaims({ name, unique: 'exact' });
  return { table: ['GetItem'], partitions: { GetItem: [uniqueKey(claims, '*').pk, userKey('*').pk] } };
}

export const OPENAPI_PRINTER = 'print-openapi';

export const bundleNames = [...Object.keys(grants), GRAPHQL_SERVER, TOKEN_FUNCTION];
