import { randomUUID } from 'node:crypto';
import { DeleteCommand, GetCommand, QueryCommand, ScanCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test, vi } from 'vitest';
import { handler as getUserHandler } from '../../functions/get-user.ts';
import type { Statement } from '../../infra/construct/grants.ts';
import { createContext } from '../../infra/local/runtime.ts';
import { deleteItems, getItems } from '../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import { DIRECTORY, tableSchema, userKey } from '../../lib/dynamodb/keys.ts';
import { endpoint } from '../../lib/rest/endpoint.ts';
import { getUserOperation } from '../../lib/rest/operations/get-user.ts';
import { getUser } from '../../lib/users/read.ts';
import { createRestEvent } from './event.ts';
import { getUsed, limitToGrant } from './grants.ts';

const ID = randomUUID();
const Key = userKey(ID);
const { name: IndexName } = tableSchema.index;
const event = createRestEvent('GET', '/v1/users', { id: ID });

const queryDirectory = (index?: string) =>
  table.send(
    new QueryCommand({
      TableName,
      IndexName: index,
      KeyConditionExpression: '#key = :key',
      ExpressionAttributeNames: { '#key': index ? tableSchema.index.partitionKey : tableSchema.partitionKey },
      ExpressionAttributeValues: { ':key': index ? DIRECTORY : Key.pk },
    }),
  );

test('a function in functions/ runs within its grant', async () => {
  expect(await getUserHandler(event, createContext())).toMatchObject({ statusCode: 404 });
  expect(getUsed('get-user').table).toContain('GetItem');
});

test('an invocation fails when it sends a request without a grant, even if it masks the error', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  const mutant = endpoint(getUserOperation, async (input) => {
    await deleteItems([Key]);
    return getUser(input);
  });
  expect(await mutant(event, createContext())).toMatchObject({ statusCode: 404 });
  await expect(limitToGrant('get-user', mutant)(event, createContext())).rejects.toThrow(
    `infra/construct/grants.ts does not allow get-user dynamodb:BatchWriteItem on arn:aws:dynamodb:us-east-1:123456789012:table/${TableName}`,
  );
});

const condition = { ConditionExpression: 'attribute_not_exists(pk)' };
const TransactItems = [
  { Delete: { TableName, Key } },
  { ConditionCheck: { TableName, Key: userKey('x'), ...condition } },
];

test.each([
  ['get-user', 'GetItem', true, () => table.send(new GetCommand({ TableName, Key }))],
  ['get-user', 'GetItem', false, () => table.send(new GetCommand({ TableName: `${TableName}-other`, Key }))],
  ['get-user', 'BatchGetItem', false, () => getItems([Key])],
  ['get-user', 'Query', false, () => queryDirectory(IndexName)],
  ['list-users', 'Query', true, () => queryDirectory(IndexName)],
  ['on-change', 'Query', true, () => queryDirectory()],
  ['on-change', 'Query', false, () => queryDirectory(IndexName)],
  ['graphql', 'Scan', false, () => table.send(new ScanCommand({ TableName }))],
  ['graphql', 'ConditionCheckItem', true, () => table.send(new TransactWriteCommand({ TransactItems }))],
  ['delete-user', 'ConditionCheckItem', false, () => table.send(new TransactWriteCommand({ TransactItems }))],
  ['customize-token', 'GetItem', false, () => table.send(new GetCommand({ TableName, Key }))],
])('a request of %s for %s is allowed: %s', async (name, action, isAllowed, send) => {
  const call = limitToGrant(name, send)();
  if (isAllowed) await call;
  else await expect(call).rejects.toThrow(`does not allow ${name} dynamodb:${action} on`);
});

test.each([
  ['dynamodb:LeadingKeys', 'USER#*', true],
  ['dynamodb:LeadingKeys', 'EMAIL#*', false],
  ['dynamodb:ReturnValues', 'ALL_OLD', true],
  ['dynamodb:ReturnValues', 'NONE', false],
])('a grant with the condition that %s is %s allows the deletion of a user: %s', async (key, value, isAllowed) => {
  const listStatements = (Resource: string): Statement[] => [
    {
      Effect: 'Allow',
      Action: ['dynamodb:DeleteItem', 'dynamodb:BatchWriteItem', 'dynamodb:Query'],
      Resource,
      Condition: { 'ForAllValues:StringLike': { [key]: value }, Null: { [key]: 'false' } },
    },
  ];
  const remove = () => table.send(new DeleteCommand({ TableName, Key, ReturnValues: 'ALL_OLD' }));
  const call = limitToGrant('get-user', remove, listStatements)();
  if (isAllowed) await call;
  else await expect(call).rejects.toThrow('does not allow get-user dynamodb:DeleteItem on');
});

test.each([
  ['the keys of a batch', () => deleteItems([Key, { pk: 'EMAIL#a', sk: 'EMAIL#a' }])],
  ['the key of a query', () => queryDirectory()],
])('a condition of leading keys applies to %s', async (_, send) => {
  const allow = (keys: string) => (Resource: string) => [
    {
      Effect: 'Allow' as const,
      Action: ['dynamodb:BatchWriteItem', 'dynamodb:Query'],
      Resource,
      Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys.split(' ') } },
    },
  ];
  await limitToGrant('get-user', send, allow('USER#* EMAIL#*'))();
  await expect(limitToGrant('get-user', send, allow('EMAIL#*'))()).rejects.toThrow('does not allow');
});

test('an unsupported condition fails', async () => {
  const listStatements = (Resource: string): Statement[] => [
    {
      Effect: 'Allow',
      Action: ['dynamodb:GetItem'],
      Resource,
      Condition: { StringEquals: { 'dynamodb:Attributes': 'name' } },
    },
  ];
  const read = () => table.send(new GetCommand({ TableName, Key }));
  await expect(limitToGrant('get-user', read, listStatements)()).rejects.toThrow('dynamodb:Attributes');
});
