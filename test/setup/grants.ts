import { AsyncLocalStorage } from 'node:async_hooks';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { FunctionName, Statement } from '../../infra/construct/grants.ts';
import type { FieldDeclarations } from '../../infra/own-fields/rules.ts';
import { tableSchema } from '../../lib/dynamodb/keys.ts';
import { findItemKind } from './item-kinds.ts';

const ACCOUNT = '123456789012';
const toTableArn = (name = '') => `arn:aws:dynamodb:us-east-1:${ACCOUNT}:table/${name}`;

/** An action on the table. `context`: DynamoDB's condition keys, e.g. dynamodb:LeadingKeys. */
type Access = {
  action: string;
  resource: string;
  context: Record<string, string | string[]>;
  /** Items that the action puts, or keys that it updates. */
  written: Record<string, unknown>[];
};
type ListStatements = (tableArn: string) => Statement[] | Promise<Statement[]>;
type Invocation = {
  name: string;
  listStatements: ListStatements;
  /** Keys: ARNs of tables. */
  statements: Map<string, Statement[]>;
  denied: Set<string>;
};

const invocations = new AsyncLocalStorage<Invocation>();
const usages = new Map<string, { table: Set<string>; index: Set<string> }>();

export function getUsed(name: string) {
  const actions = usages.get(name) ?? { table: new Set(), index: new Set() };
  usages.set(name, actions);
  return actions;
}

type Handler = (...given: never[]) => unknown;

/**
 * Wraps a handler to reject requests outside its grant, and writes of unknown kinds. The invocation also fails, because
 * handlers mask unexpected errors.
 */
export function limitToGrant<Wrapped extends Handler>(
  name: string,
  handler: Wrapped,
  listStatements: ListStatements = (tableArn) => listGranted(name, tableArn),
) {
  const call = async (...given: Parameters<Wrapped>) => {
    const invocation: Invocation = { name, listStatements, statements: new Map(), denied: new Set() };
    const result = await invocations.run(invocation, () => handler(...given));
    if (invocation.denied.size > 0) throw new Error([...invocation.denied].join('\n'));
    return result;
  };
  // Copy properties, which streaming handlers have.
  return Object.assign(call, handler);
}

/** Import late, because grants depend on own fields, which some tests declare first. */
async function listGranted(name: string, tableArn: string): Promise<Statement[]> {
  const { createTokenGrant, findGrant, grants, listStatements, TOKEN_FUNCTION } = await import(
    '../../infra/construct/grants.ts'
  );
  const { environment } = await import('../../lib/environment.ts');
  const fields = environment.readOwnFields() as FieldDeclarations;
  if (name === TOKEN_FUNCTION) return listStatements(createTokenGrant(fields), tableArn);
  return name in grants ? listStatements(findGrant(name as FunctionName, fields), tableArn) : [];
}

export function checkRequests({ middlewareStack }: DynamoDBDocumentClient, tableName: string): void {
  const tableArn = toTableArn(tableName);
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (call) => {
        const invocation = invocations.getStore();
        if (!invocation) return next(call);
        try {
          for (const access of listAccesses(commandName.replace(/Command$/, ''), call.input as Input))
            await requireAllowed(invocation, access, tableArn);
        } catch (error) {
          invocation.denied.add(String(error));
          throw error;
        }
        return next(call);
      },
    { step: 'initialize', name: 'grants' },
  );
}

async function requireAllowed(invocation: Invocation, access: Access, tableArn: string): Promise<void> {
  const { name, listStatements, statements } = invocation;
  recordUse(name, access);
  const granted = statements.get(tableArn) ?? (await listStatements(tableArn));
  statements.set(tableArn, granted);
  if (!(await isAllowed(granted, access)))
    throw new AccessDenied(
      `infra/construct/grants.ts does not allow ${name} dynamodb:${access.action} on ${access.resource}`,
    );
  for (const key of access.written) findItemKind(key);
}

class AccessDenied extends Error {
  override readonly name = 'AccessDeniedException';
  readonly $metadata = { httpStatusCode: 400 };
}

function recordUse(name: string, { action, resource }: Access): void {
  const { table, index } = getUsed(name);
  (resource.includes('/index/') ? index : table).add(action);
}

type Input = {
  TableName?: string;
  IndexName?: string;
  Key?: Record<string, unknown>;
  Item?: Record<string, unknown>;
  UpdateExpression?: string;
  KeyConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
  Select?: string;
  ReturnValues?: string;
  TransactItems?: Record<string, Input>[];
  RequestItems?: Record<string, { Keys?: Record<string, unknown>[] } | Record<string, Input>[]>;
};

/**
 * A transaction needs only the actions of its items:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 */
function listAccesses(action: string, input: Input): Access[] {
  const { TransactItems, RequestItems } = input;
  if (TransactItems)
    return TransactItems.flatMap((each) => Object.entries(each)).map(([kind, item]) =>
      toAccess(`${kind}Item`, item, [item], { 'dynamodb:EnclosingOperation': action }),
    );
  if (RequestItems)
    return Object.entries(RequestItems).map(([TableName, requests]) =>
      toAccess(
        action,
        { TableName },
        Array.isArray(requests)
          ? requests.flatMap((each) => Object.values(each))
          : (requests.Keys ?? []).map((Key) => ({ Key })),
      ),
    );
  return [toAccess(action, input, [input])];
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html */
function toAccess(action: string, target: Input, items: Input[], more: Access['context'] = {}): Access {
  const { TableName, IndexName, Select, ReturnValues } = target;
  const keys = items.map((item) => findPartition(item)).filter((key) => typeof key === 'string');
  const written = items.map(({ Item, Key, UpdateExpression }) => Item ?? (UpdateExpression ? Key : undefined));
  return {
    action,
    written: written.filter((item) => item !== undefined),
    resource: IndexName ? `${toTableArn(TableName)}/index/${IndexName}` : toTableArn(TableName),
    context: {
      ...more,
      ...(keys.length > 0 ? { 'dynamodb:LeadingKeys': keys } : {}),
      ...(Select ? { 'dynamodb:Select': Select } : {}),
      ...(ReturnValues ? { 'dynamodb:ReturnValues': ReturnValues } : {}),
    },
  };
}

function findPartition({ Key, Item, IndexName, KeyConditionExpression = '', ...expression }: Input): unknown {
  const { partitionKey } = IndexName ? tableSchema.index : tableSchema;
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = expression;
  const equalities = [...KeyConditionExpression.matchAll(/(?<name>#?\w+)\s*=\s*(?<value>:\w+)/g)];
  const compared = equalities.find(({ groups: { name = '' } = {} }) => (names[name] ?? name) === partitionKey);
  return (Key ?? Item)?.[partitionKey] ?? values[compared?.groups?.value ?? ''];
}

/** Imports the IAM simulator late, because loading it takes 0.25 s. */
async function isAllowed(statements: Statement[], { action, resource, context }: Access): Promise<boolean> {
  const matching = statements.filter(
    ({ Action, Resource }) => Action.includes(`dynamodb:${action}`) && Resource === resource,
  );
  if (matching.length === 0 || matching.some(({ Condition }) => !Condition)) return matching.length > 0;
  const unknown = matching.flatMap(listConditionKeys).filter((key) => !CONDITION_KEYS.has(key));
  if (unknown.length > 0) throw new Error(`test/setup/grants.ts does not know the condition keys ${unknown}`);
  const { runSimulation } = await import('@cloud-copilot/iam-simulate');
  const result = await runSimulation(
    {
      request: {
        principal: `arn:aws:iam::${ACCOUNT}:role/function`,
        action: `dynamodb:${action}`,
        resource: { resource, accountId: ACCOUNT },
        contextVariables: context,
      },
      identityPolicies: [{ name: 'grant', policy: { Version: '2012-10-17', Statement: matching } }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
    },
    {},
  );
  if (result.resultType === 'error') throw new Error(`IAM cannot evaluate ${action}: ${JSON.stringify(result)}`);
  return result.overallResult === 'Allowed';
}

const CONDITION_KEYS = new Set([
  'dynamodb:LeadingKeys',
  'dynamodb:Select',
  'dynamodb:ReturnValues',
  'dynamodb:EnclosingOperation',
]);

const listConditionKeys = ({ Condition = {} }: Statement) =>
  Object.values(Condition).flatMap((keys) => Object.keys(keys));
