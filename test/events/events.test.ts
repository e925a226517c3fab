import { readdirSync, readFileSync } from 'node:fs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { beforeEach, expect, test } from 'vitest';
import { createContext } from '../../infra/local/runtime.ts';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import { type OperationName, operations } from '../../lib/rest/operations.ts';
import { listCreationItems } from '../../lib/users/write.ts';

const USER = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  name: 'Alan Turing',
  email: 'alan@example.org',
  own: {},
  createdAt: '2023-06-29T12:00:00.000Z',
  updatedAt: '2023-06-29T12:00:00.000Z',
  version: 1,
  by: 'test',
};
const { id, name, email } = USER;

/** Stores the user that the sample events refer to. */
beforeEach(async () => {
  for (const { Put } of listCreationItems(USER)) await table.send(new PutCommand({ TableName, Item: Put?.Item }));
});

const load = (file: string): APIGatewayProxyEventV2 => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));

/** Invokes a function with the event in a file, as `sam local invoke -e` does. */
async function invoke(operation: string, file: string) {
  const { handler } = await import(`../../functions/${operation}.ts`);
  const { statusCode, body } = await handler(load(file), createContext());
  return { status: statusCode, body: body ? JSON.parse(body) : undefined };
}

const ada = { name: 'Ada Lovelace', email: 'ada@example.org' };
const grace = { name: 'Grace Hopper', email: 'grace@example.org' };
const created = { id: expect.stringMatching(/^[0-9a-f-]{36}$/) };

const responses: Record<string, { status: number; body?: unknown }> = {
  'list-users-api': { status: 200, body: { data: [{ id, name, email }], meta: { total: 1 } } },
  'list-users-v1': { status: 200, body: [{ id, name, email }] },
  'get-user-api': { status: 200, body: { data: { id, name, email } } },
  'get-user-v1': { status: 200, body: { id, name, email } },
  'replace-user-api': {
    status: 200,
    body: { data: { id, name: 'Ada Lovelace, replaced', email: 'new.ada@example.org' } },
  },
  'replace-user-v1': { status: 200, body: { id, name: 'Grace Hopper, replaced', email: 'new.grace@example.org' } },
  'update-user-api': { status: 200, body: { data: { id, name: 'Ada Lovelace, updated', email } } },
  'update-user-v1': { status: 200, body: { id, name: 'Grace Hopper, updated', email } },
  'delete-user-api': { status: 204 },
  'delete-user-v1': { status: 204 },
  'create-user-api': { status: 201, body: { data: { ...created, ...ada } } },
  'create-user-v1': { status: 201, body: { ...created, ...grace } },
  'graphql-query': { status: 200, body: { data: { user: { name, posts: [] } } } },
  'graphql-mutation': {
    status: 200,
    body: {
      data: { createUser: { user: { ...created, name: 'Katherine Johnson', email: 'katherine@example.org' } } },
    },
  },
};

test.each(Object.entries(responses))('the event %s gets the expected response', async (file, expected) => {
  const operation = file.startsWith('graphql') ? 'graphql' : file.replace(/-\w+$/, '');
  expect(await invoke(operation, `${file}.json`)).toEqual(expected);
});

test.each(Object.keys(responses).filter((file) => !file.startsWith('graphql')))(
  '%s is an event of its route',
  (file) => {
    const [, name = '', prefix] = /^(.*)-(api|v1)$/.exec(file) ?? [];
    const { method, path } = operations[name as OperationName]; // The files are named after operations.
    expect(load(`${file}.json`).routeKey).toBe(`${method} /${prefix}/users${path}`);
  },
);

test('every event file has an expected response', () => {
  const files = readdirSync(new URL('.', import.meta.url)).filter((file) => file.endsWith('.json'));
  expect(files.toSorted()).toEqual(
    Object.keys(responses)
      .map((file) => `${file}.json`)
      .toSorted(),
  );
});
