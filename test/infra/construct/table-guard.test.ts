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
const GUARD = '../../../infra/construct/table-guard.cjs';
const require = createRequire(import.meta.url);
let handler: (event: object) => Promise<void>;

const client = DynamoDBDocumentClient.from(
  new DynamoDBClient({ endpoint: String(process.env.AWS_ENDPOINT_URL_DYNAMODB) }),
);
const created: string[] = [];
let server: Server;
let response: { Status: string; Reason?: string; PhysicalResourceId: string } | undefined;
/** CloudFormation answers with these, then with 200. */
let answers: number[] = [];
/** What DynamoDB answers to an operation instead of the database, as long as there is something. */
let faults: { operation: string; table?: string; name: string; times: number }[] = [];
let asked: string[] = [];
let database: Server;

beforeAll(async () => {
  // CloudFormation receives the response of a custom resource by PUT. S3 rejects what is not signed, as a content type is not.
  server = createServer(async (request, answer) => {
    const body = await text(request);
    answer.statusCode = request.headers['content-type'] ? 403 : (answers.shift() ?? 200);
    if (answer.statusCode === 200) response = JSON.parse(body);
    answer.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A proxy of the database, which may answer itself.
  const endpoint = String(process.env.AWS_ENDPOINT_URL_DYNAMODB);
  database = createServer(async (request, answer) => {
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const body = await text(request);
    const { TableName: name = '' } = JSON.parse(body);
    asked.push(`${operation} ${name}`);
    const fault = faults.find(
      ({ operation: of, table = name, times }) => of === operation && table === name && times > 0,
    );
    if (fault) {
      fault.times--;
      answer.writeHead(400).end(JSON.stringify({ __type: `com.amazon.coral#${fault.name}`, message: 'Denied' }));
    } else {
      const headers = Object.fromEntries(
        ['x-amz-target', 'authorization', 'content-type', 'x-amz-date'].map((name) => [
          name,
          String(request.headers[name]),
        ]),
      );
      const real = await fetch(endpoint, { method: 'POST', headers, body });
      answer.writeHead(real.status).end(replaceAnswer(operation, await real.text()));
    }
  }).listen(0, '127.0.0.1');
  await once(database, 'listening');
});
beforeEach(() => {
  [answers, faults, asked, response] = [[], [], [], undefined];
  describe = undefined;
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${(database.address() as AddressInfo).port}`);
  // Each test has another environment of the function.
  delete require.cache[require.resolve(GUARD)];
  handler = require(GUARD).handler;
  const [guard] = Object.values(
    template.findResources('AWS::Lambda::Function', { Properties: { Handler: 'index.handler' } }),
  );
  for (const [name, value] of Object.entries(guard?.Properties.Environment.Variables)) vi.stubEnv(name, String(value));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const each of [server, database]) {
    each.closeAllConnections();
    each.close();
  }
  for (const TableName of created) await client.send(new DeleteTableCommand({ TableName }));
  client.destroy();
});

/** Creates a table, whose name is that which CloudFormation would generate. */
async function newTable({ users, prefix = 'Users-table-' }: { users: number; prefix?: string }): Promise<string> {
  const TableName = `${prefix}${randomUUID().replaceAll('-', '').toUpperCase()}`;
  await createTable(TableName);
  created.push(TableName);
  const Item = { ...userKey(randomUUID()), directory: DIRECTORY, name: 'Ada' };
  if (users > 0) await client.send(new PutCommand({ TableName, Item }));
  return TableName;
}

/** What DynamoDB tells of a table, instead of what the database does: an emulator knows no keys. */
let describe: object | undefined;
const replaceAnswer = (operation: string, body: string) =>
  operation === 'DescribeTable' && describe ? JSON.stringify({ Table: describe }) : body;

async function send(event: { RequestType: string; ResourceProperties: object; OldResourceProperties?: object }) {
  const { port } = server.address() as AddressInfo; // A TCP server's address is an AddressInfo.
  const ids = { StackId: 'stack', RequestId: 'request', LogicalResourceId: 'guard' };
  await handler({ ...event, ...ids, ResponseURL: `http://127.0.0.1:${port}/` });
  expect(response).toMatchObject({ ...ids, PhysicalResourceId: 'table-guard' });
  if (!response) throw new Error('CloudFormation got no response');
  return response;
}

const update = (from: string, to: string) =>
  send({
    RequestType: 'Update',
    OldResourceProperties: { TableName: from, StackName: 'none', LogicalIds: [] },
    ResourceProperties: { TableName: to, StackName: 'none', LogicalIds: [] },
  });

/** The table of the service that is created has the logical id `table`. */
const create = (TableName: string, StackName: string, LogicalIds = ['table']) =>
  send({ RequestType: 'Create', ResourceProperties: { TableName, StackName, LogicalIds } });

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

test('a deploy with a renamed construct, or of a stack that was deleted, fails beside the table that is left', async () => {
  const stack = `Kept${randomUUID()}`.replaceAll('-', '');
  const left = await newTable({ users: 1, prefix: `${stack}-former-` });
  const empty = await newTable({ users: 0, prefix: `${stack}-table-` });
  expect(await create(empty, stack)).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining(left) });
});

test('a new service in a stack is deployed beside the other one, whose table is in the template', async () => {
  const stack = `Two${randomUUID()}`.replaceAll('-', '');
  await newTable({ users: 1, prefix: `${stack}-first-` });
  const empty = await newTable({ users: 0, prefix: `${stack}-table-` });
  expect(await create(empty, stack, ['first', 'table'])).toMatchObject({ Status: 'SUCCESS' });
});

test('a first deploy succeeds beside the tables of stacks whose names begin in the same way', async () => {
  const stack = `New${randomUUID()}`.replaceAll('-', '');
  await newTable({ users: 1, prefix: `${stack}-Staging-table-` });
  await newTable({ users: 1, prefix: `${stack}2-table-` });
  expect(await create(await newTable({ users: 0, prefix: `${stack}-table-` }), stack)).toMatchObject({
    Status: 'SUCCESS',
  });
});

const KEY = 'arn:aws:kms:eu-west-1:1:key/1';

test.each([
  [0, 'SUCCESS'],
  [1, 'FAILED'],
])(
  'a deploy after one that failed: the key of the table that is left is being deleted, which counts %i items: %s',
  async (ItemCount, Status) => {
    const stack = `Failed${randomUUID()}`.replaceAll('-', '');
    const left = await newTable({ users: 0, prefix: `${stack}-former-` });
    const empty = await newTable({ users: 0, prefix: `${stack}-table-` });
    faults = [{ operation: 'Query', table: left, name: 'AccessDeniedException', times: Number.POSITIVE_INFINITY }];
    describe = { TableName: left, ItemCount, SSEDescription: { KMSMasterKeyArn: KEY } };
    const { Reason = '', ...answer } = await create(empty, stack);
    expect(answer).toMatchObject({ Status });
    // Nobody has counted users.
    if (Status === 'FAILED')
      expect(Reason).toContain(
        'may have users, as it had 1 items when DynamoDB last counted them, up to six hours ago',
      );
  },
);

test('a role that IAM does not know yet is waited for', async () => {
  faults = [{ operation: 'Query', name: 'AccessDeniedException', times: 1 }];
  const [full, empty] = [await newTable({ users: 1 }), await newTable({ users: 0 })];
  expect(await update(full, empty)).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining(full) });
  expect(asked.filter((each) => each === `Query ${empty}`)).toHaveLength(2);
});

test('the response is sent again until CloudFormation takes it, and the invocation fails if it does not', async () => {
  const table = await newTable({ users: 1 });
  answers = [503];
  expect(await update(table, table)).toMatchObject({ Status: 'SUCCESS' });
  answers = [403, 403, 403, 403, 403];
  await expect(update(table, table)).rejects.toThrow('403');
});

test('the deletion of the stack succeeds', async () => {
  const properties = { TableName: await newTable({ users: 0 }), StackName: 'Users', LogicalIds: [] };
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
    StackName: 'UserManagement',
    LogicalIds: [table],
  });
});

test('the guard may list tables and count users, and nothing else', () => {
  template.hasResourceProperties('AWS::IAM::Policy', {
    PolicyName: Match.stringLikeRegexp('guardrole'),
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({ Action: 'dynamodb:ListTables' }),
        Match.objectLike({ Action: 'dynamodb:DescribeTable' }),
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
