import { deepEqual } from 'node:assert/strict';
import { Agent } from 'node:https';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AwsClient } from 'aws4fetch';
import type { Door } from './door.ts';
import type { Emulator } from './emulator.ts';
import { CREDENTIALS, REGION } from './environment.ts';

const client = new AwsClient({ ...CREDENTIALS, region: REGION });
const ada = { name: 'Ada Lovelace', email: 'ada@example.com' };

type Doors = { api: Door; graphql: Door };
type Request = { method: string; headers?: Record<string, string>; body?: string };

const json = (body: object): Request => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Makes a user as anybody, while anybody may. Gives the path. */
export async function createAda({ api }: Doors): Promise<string> {
  const response = await fetch(`${api.url}/v1/users`, json(ada));
  deepEqual(response.status, 201);
  return response.headers.get('location') ?? '';
}

/** Throws unless both doors refuse who has not signed, and show Ada, whom an earlier deploy stored, to who has. */
export async function checkSignatures({ api, graphql }: Doors, path: string): Promise<void> {
  const id = path.split('/').pop();
  const read: Request = { method: 'GET' };
  const query = json({ query: 'query ($id: ID!) { user(id: $id) { name email } }', variables: { id } });
  deepEqual((await fetch(`${api.url}${path}`, read)).status, 403, 'REST without a signature');
  deepEqual((await fetch(graphql.url, query)).status, 403, 'GraphQL without a signature');
  deepEqual(await signed(api, 'execute-api', path, read), { id, ...ada }, 'REST with a signature');
  deepEqual(await signed(graphql, 'lambda', '/', query), { data: { user: ada } }, 'GraphQL with a signature');
}

/** The signature is for the host that the door leads to. */
async function signed({ url, host }: Door, service: string, path: string, request: Request) {
  const { headers } = await client.sign(`https://${host}${path}`, { ...request, aws: { service } });
  const response = await fetch(`${url}${path}`, { ...request, headers });
  return response.json();
}

/** Throws where the table went with its stack. */
export async function checkTableIsKept({ endpoint, ca }: Emulator, TableName: string): Promise<void> {
  const database = new DynamoDBClient({
    endpoint,
    region: REGION,
    credentials: CREDENTIALS,
    requestHandler: { httpsAgent: new Agent({ ca }) },
  });
  const { Table } = await database.send(new DescribeTableCommand({ TableName }));
  deepEqual(Table?.TableStatus, 'ACTIVE', 'the table outlives its stack');
  database.destroy();
}
