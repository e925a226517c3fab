import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { Match } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTable } from '../../../infra/local/table.ts';
import { DIRECTORY, userKey } from '../../../lib/dynamodb/keys.ts';
import { synthesize } from './synth.ts';

const template = synthesize();
const { handler } = createRequire(import.meta.url)('../../../infra/construct/table-guard.cjs') as {
  handler(event: object): Promise<void>;
};

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const created: string[] = [];
let server: Server;
let response: { Status: string; Reason?: string; PhysicalResourceId: string };

beforeAll(async () => {
  // CloudFormation receives the response of a custom resource by PUT.
  server = createServer(async (request, answer) => {
    response = JSON.parse(await text(request));
    answer.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  const [guard] = Object.values(
    template.findResources('AWS::Lambda::Function', { Properties: { Handler: 'index.handler' } }),
  );
  for (const [name, value] of Object.entries(guard?.Properties.Environment.Variables)) vi.stubEnv(name, String(value));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
  for (const TableName of created) await client.send(new DeleteTableCommand({ TableName }));
  client.destroy();
});

/** Creates a table, whose name is that which CloudFormation would generate. */
async function newTable({ users, prefix = 'Users-table-' }: { users: number; prefix?: string }): Promise<string> {
  const TableName = `${prefix}${randomUUID()}`;
  await createTable(TableName);
  created.push(TableName);
  const Item = { ...userKey(randomUUID()), directory: DIRECTORY, name: 'Ada' };
  if (users > 0) await client.send(new PutCommand({ TableName, Item }));
  return TableName;
}

async function send(event: { RequestType: string; ResourceProperties: object; OldResourceProperties?: object }) {
  const { port } = server.address() as AddressInfo; // A TCP server's address is an AddressInfo.
  const ids = { StackId: 'stack', RequestId: 'request', LogicalResourceId: 'guard' };
  await handler({ ...event, ...ids, ResponseURL: `http://127.0.0.1:${port}/` });
  expect(response).toMatchObject({ ...ids, PhysicalResourceId: 'table-guard' });
  return response;
}

const update = (from: string, to: string) =>
  send({
    RequestType: 'Update',
    OldResourceProperties: { TableName: from, Prefix: 'none-' },
    ResourceProperties: { TableName: to, Prefix: 'none-' },
  });

const create = (TableName: string, Prefix: string) =>
  send({ RequestType: 'Create', ResourceProperties: { TableName, Prefix } });

test('a deploy from a table with users to an empty one fails, and names the table that it would leave', async () => {
  const [full, empty] = [await newTable({ users: 1 }), await newTable({ users: 0 })];
  const { Status, Reason } = await update(full, empty);
  expect(Status).toBe('FAILED');
  expect(Reason).toBe(
    `The table ${full} has users, but this deploy would use the empty table ${empty}. Give the service the table ${full} (restoredStream), or delete it.`,
  );
});

test('a deploy to a restored table succeeds, as does the rollback of one that failed', async () => {
  const [full, restored, empty] = [
    await newTable({ users: 1 }),
    await newTable({ users: 1 }),
    await newTable({ users: 0 }),
  ];
  expect(await update(full, restored)).toMatchObject({ Status: 'SUCCESS' });
  expect(await update(empty, full)).toMatchObject({ Status: 'SUCCESS' });
});

test('a deploy that keeps the table, or leaves an empty or a deleted one, succeeds', async () => {
  const [one, other] = [await newTable({ users: 0 }), await newTable({ users: 0 })];
  expect(await update(one, one)).toMatchObject({ Status: 'SUCCESS' });
  expect(await update(one, other)).toMatchObject({ Status: 'SUCCESS' });
  expect(await update('deleted-table', one)).toMatchObject({ Status: 'SUCCESS' });
});

test('a first deploy fails beside the table that a deleted stack of the same name has kept', async () => {
  const prefix = `Kept-${randomUUID()}-table-`;
  const [kept, empty] = [await newTable({ users: 1, prefix }), await newTable({ users: 0, prefix })];
  expect(await create(empty, prefix)).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining(kept) });
});

test('a first deploy succeeds beside the tables of other stacks and services', async () => {
  await newTable({ users: 1, prefix: 'Other-table-' });
  const prefix = `New-${randomUUID()}-table-`;
  expect(await create(await newTable({ users: 0, prefix }), prefix)).toMatchObject({ Status: 'SUCCESS' });
});

test('the deletion of the stack succeeds', async () => {
  const properties = { TableName: await newTable({ users: 0 }), Prefix: 'Users-' };
  expect(await send({ RequestType: 'Delete', ResourceProperties: properties })).toMatchObject({ Status: 'SUCCESS' });
});

test('a table that cannot be read fails the deploy', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:1');
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
  const { Status, Reason } = await update('one', 'other');
  vi.unstubAllEnvs();
  expect([Status, Reason]).toEqual(['FAILED', expect.stringMatching(/^The tables cannot be compared: /)]);
});

test('every function waits for the guard, which knows the table and how CloudFormation names it', () => {
  const [[id] = ['']] = Object.entries(template.findResources('Custom::UserManagementTable'));
  const functions = Object.values(template.findResources('AWS::Lambda::Function'));
  const service = functions.filter(({ Properties }) => Properties.Handler !== 'index.handler');
  for (const { DependsOn } of service) expect(DependsOn).toContain(id);
  const [table = ''] = Object.keys(template.findResources('AWS::DynamoDB::GlobalTable'));
  template.hasResourceProperties('Custom::UserManagementTable', {
    TableName: { Ref: table },
    Prefix: `UserManagement-${table}-`,
  });
});

test('the guard may list tables and count users, and nothing else', () => {
  template.hasResourceProperties('AWS::IAM::Policy', {
    PolicyName: Match.stringLikeRegexp('guardrole'),
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({ Action: 'dynamodb:ListTables' }),
        Match.objectLike({
          Action: 'dynamodb:Query',
          Condition: {
            'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['USERS'] },
            StringEquals: { 'dynamodb:Select': 'COUNT' },
          },
        }),
      ]),
    },
  });
});
