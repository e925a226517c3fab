import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CreateTableCommand, DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, expect, test } from 'vitest';
import { findFreePort } from '../../infra/local/database/engine.ts';
import { createWebhook } from '../../infra/local/webhook.ts';
import type { CloudEvent } from '../../lib/features/events/cloud-event.ts';
import { findCodeBlocks } from '../setup/markdown.ts';

const page = readFileSync('infra/events.md', 'utf8');
const [queueRecipe = '', webhookRecipe = '', consumer = ''] = findCodeBlocks(page, 'ts');
const folder = mkdtempSync(join('node_modules', '.events-page-'));
const processes: ChildProcess[] = [];
afterAll(() => {
  for (const each of processes) each.kill();
  rmSync(folder, { recursive: true });
});

/** `parameters`: names that the block leaves undefined. `result`: expression to return. */
async function load(name: string, block: string, parameters: string, result: string) {
  const imports = block.match(/^import .*$/gm) ?? [];
  const program = block.replaceAll(/^import .*$/gm, '');
  const file = join(folder, `${name}.ts`);
  writeFileSync(
    file,
    `${imports.join('\n')}\nexport default (${parameters}) => {\n${program}\nreturn ${result};\n};\n`,
  );
  return (await import(resolve(file))).default;
}

async function synthesizeRecipe(name: string, block: string): Promise<Template> {
  const stack = new Stack(new App(), 'Consumer');
  (await load(name, block, 'stack', 'undefined'))(stack);
  return Template.fromStack(stack);
}

test('the recipe of a rule sends events of users from the bus to a queue, without the envelope', async () => {
  const template = await synthesizeRecipe('queue', queueRecipe);
  template.hasResourceProperties('AWS::Events::Rule', {
    EventBusName: 'UserManagement',
    EventPattern: { 'detail-type': ['user.created', 'user.updated', 'user.deleted'] },
  });
  const [rule] = Object.values(template.findResources('AWS::Events::Rule'));
  expect(rule?.Properties.Targets).toMatchObject([{ InputPath: '$.detail', DeadLetterConfig: {} }]);
});

test('the recipe of a webhook has a connection, an API destination and one rule', async () => {
  const template = await synthesizeRecipe('webhook', webhookRecipe);
  template.hasResourceProperties('AWS::Events::Connection', { AuthorizationType: 'API_KEY' });
  template.hasResourceProperties('AWS::Events::ApiDestination', {
    HttpMethod: 'POST',
    InvocationEndpoint: 'https://crm.example.com/hooks/users',
  });
  template.resourceCountIs('AWS::Events::Rule', 1);
  const [rule] = Object.values(template.findResources('AWS::Events::Rule'));
  expect(rule?.Properties).toMatchObject({
    EventBusName: 'UserManagement',
    EventPattern: { source: [{ prefix: 'user-management/' }] },
    Targets: [{ InputPath: '$.detail', RetryPolicy: { MaximumEventAgeInSeconds: 86400 }, DeadLetterConfig: {} }],
  });
});

const event = JSON.parse(findCodeBlocks(page, 'json')[0] ?? '') as CloudEvent;

test("the page's program only accepts requests signed with its secret", async () => {
  const [program = ''] = findCodeBlocks(page, 'js');
  const file = join(folder, 'receive.mjs');
  writeFileSync(file, program);
  const port = await findFreePort();
  const secret = `whsec_${Buffer.alloc(32, 'key').toString('base64')}`;
  const receiver = spawn(process.execPath, [file], { env: { ...process.env, SECRET: secret, PORT: String(port) } });
  processes.push(receiver);
  const url = `http://127.0.0.1:${port}/hook`;
  await expect
    .poll(
      () =>
        fetch(url, { method: 'POST' }).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 60_000 },
    )
    .toBe(401);
  const printed = once(receiver.stdout, 'data');
  const send = (key: string) => createWebhook(url, key, new AbortController().signal)([event]);
  expect(await send(`whsec_${Buffer.alloc(32, 'other').toString('base64')}`)).toEqual([expect.any(Error)]);
  expect(await send(secret)).toEqual([undefined]);
  expect(String((await printed)[0])).toBe(`user.updated ${event.subject}\n`);
});

test("the page's consumer keeps the last version, even if events are repeated or out of order", async () => {
  const receive = await load('consumer', consumer, '', 'receive');
  const client = new DynamoDBClient();
  await client.send(
    new CreateTableCommand({
      TableName: 'copies-of-users',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  const newEvent = (version: number, name: string | null) => ({
    type: name ? 'user.updated' : 'user.deleted',
    data: { ...event.data, version, after: name && { name } },
  });
  const read = async () =>
    (await DynamoDBDocumentClient.from(client).send(new ScanCommand({ TableName: 'copies-of-users' }))).Items;
  const receiveEvent = receive();
  for (const each of [newEvent(1, 'one'), newEvent(3, 'three'), newEvent(2, 'two'), newEvent(3, 'three')])
    await receiveEvent(each);
  expect(await read()).toMatchObject([{ version: 3, user: { name: 'three' }, isDeleted: false }]);
  for (const each of [newEvent(5, null), newEvent(4, 'four')]) await receiveEvent(each);
  expect(await read()).toMatchObject([{ version: 5, user: null, isDeleted: true }]);
  await client.send(new DeleteTableCommand({ TableName: 'copies-of-users' }));
  client.destroy();
});
