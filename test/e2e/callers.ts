import { deepEqual } from 'node:assert/strict';
import { Agent } from 'node:https';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AwsClient } from 'aws4fetch';
import * as z from 'zod';
import type { ApiProxy } from './proxy.ts';
import type { Emulator } from './emulator.ts';
import { CREDENTIALS, REGION } from './environment.ts';

const client = new AwsClient({ ...CREDENTIALS, region: REGION });
const ada = { name: 'Ada Lovelace', email: 'ada@example.com' };

type Doors = { api: ApiProxy; graphql: ApiProxy };
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
  const users = await Promise.all([signed(api, 'execute-api', path, read), signed(graphql, 'lambda', '/', query)]);
  const [atRest, inGraphql] = await Promise.all(users.map((response) => response.json()));
  deepEqual(atRest, { id, ...ada }, 'REST with a signature');
  deepEqual(inGraphql, { data: { user: ada } }, 'GraphQL with a signature');
}

/** Runs what else runs every minute. Throws where it fails, as it does where a grant is missing. */
export async function runIndexer(emulator: ApiProxy): Promise<void> {
  const functions = '/2015-03-31/functions/';
  const list = await signed(emulator, 'lambda', functions, { method: 'GET' });
  const { Functions } = functionList.parse(await list.json());
  const indexer = Functions.find(({ Handler }) => Handler === 'index-pages.handler');
  const run = await signed(emulator, 'lambda', `${functions}${indexer?.FunctionName}/invocations`, json({}));
  deepEqual([run.status, run.headers.get('x-amz-function-error')], [200, null], await run.text());
}

const functionList = z.object({ Functions: z.array(z.object({ FunctionName: z.string(), Handler: z.string() })) });

/** The signature is for the host that the door leads to. */
async function signed({ url, host }: ApiProxy, service: string, path: string, request: Request): Promise<Response> {
  const { headers } = await client.sign(`https://${host}${path}`, { ...request, aws: { service } });
  return fetch(`${url}${path}`, { ...request, headers });
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
