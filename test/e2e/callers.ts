import { deepEqual } from 'node:assert/strict';
import { Agent } from 'node:https';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AwsClient } from 'aws4fetch';
import * as z from 'zod';
import type { Emulator } from './emulator.ts';
import { CREDENTIALS, REGION } from './environment.ts';
import type { ApiProxy } from './proxy.ts';

const client = new AwsClient({ ...CREDENTIALS, region: REGION });
const ada = { name: 'Ada Lovelace', email: 'ada@example.com' };

export type Proxies = { api: ApiProxy; graphql: ApiProxy };
type Request = { method: string; headers?: Record<string, string>; body?: string };

const createPost = (body: object): Request => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Creates the user Ada, and returns the path. */
export async function createAda({ api }: Proxies): Promise<string> {
  const response = await fetch(`${api.url}/v1/users`, createPost(ada));
  deepEqual(response.status, 201);
  return response.headers.get('location') ?? '';
}

/** Unsigned requests must fail, signed ones return Ada. */
export async function checkSignatures({ api, graphql }: Proxies, path: string): Promise<void> {
  const id = path.split('/').pop();
  const read: Request = { method: 'GET' };
  const query = createPost({ query: 'query ($id: ID!) { user(id: $id) { name email } }', variables: { id } });
  deepEqual((await fetch(`${api.url}${path}`, read)).status, 403, 'REST without a signature');
  deepEqual((await fetch(graphql.url, query)).status, 403, 'GraphQL without a signature');
  const users = await Promise.all([
    sendSigned(api, 'execute-api', path, read),
    sendSigned(graphql, 'lambda', '/', query),
  ]);
  const [fromRest, fromGraphql] = await Promise.all(users.map((response) => response.json()));
  deepEqual(fromRest, { id, ...ada }, 'REST with a signature');
  deepEqual(fromGraphql, { data: { user: ada } }, 'GraphQL with a signature');
}

/** Invokes index-pages. Throws if it fails, e.g. because a grant is missing. */
export async function runIndexer(emulator: ApiProxy): Promise<void> {
  const functions = '/2015-03-31/functions/';
  const list = await sendSigned(emulator, 'lambda', functions, { method: 'GET' });
  const { Functions } = functionList.parse(await list.json());
  const indexer = Functions.find(({ Handler }) => Handler === 'index-pages.handler');
  const run = await sendSigned(emulator, 'lambda', `${functions}${indexer?.FunctionName}/invocations`, createPost({}));
  deepEqual([run.status, run.headers.get('x-amz-function-error')], [200, null], await run.text());
}

const functionList = z.object({ Functions: z.array(z.object({ FunctionName: z.string(), Handler: z.string() })) });

/** Signs for the host to which the proxy forwards. */
export async function sendSigned(
  { url, host }: ApiProxy,
  service: string,
  path: string,
  request: Request,
): Promise<Response> {
  const { headers } = await client.sign(`https://${host}${path}`, { ...request, aws: { service } });
  return fetch(`${url}${path}`, { ...request, headers });
}

export async function checkTableIsKept({ endpoint, ca }: Emulator, TableName: string): Promise<void> {
  const database = new DynamoDBClient({
    endpoint,
    region: REGION,
    credentials: CREDENTIALS,
    requestHandler: { httpsAgent: new Agent({ ca }) },
  });
  const { Table } = await database.send(new DescribeTableCommand({ TableName }));
  deepEqual(Table?.TableStatus, 'ACTIVE', 'the table is kept');
  database.destroy();
}
