import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { bundle } from '../../../../infra/construct/bundling/bundle.ts';
import { createContext } from '../../../../infra/local/runtime.ts';
import { createRestEvent } from '../../../setup/event.ts';

// infra/construct/bundling/sdk.ts removes parts of the AWS SDK. The needed parts must remain.

const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
await bundle(['get-user'], folder);
const file = join(folder, 'get-user/get-user.mjs');
const event = createRestEvent('GET', '/v1/users', { id: '01a1fc2b-6afb-746d-b0f3-2c7678fa44ac' });

/** Next responses: status and body, a reset connection, or a truncated body. */
let answers: (readonly [number, object] | 'reset' | 'cut')[] = [];
let received = 0;
const database = createServer((request, response) => {
  received++;
  const answer = answers.shift() ?? [200, {}];
  if (answer === 'reset') return request.socket.resetAndDestroy();
  if (answer === 'cut')
    return response.writeHead(200, { 'content-length': 100 }).write('{"Item":', () => request.socket.destroy());
  response.writeHead(answer[0], { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answer[1]));
});
await once(database.listen(0, '127.0.0.1'), 'listening');
process.env.AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${(database.address() as AddressInfo).port}`;
const { handler } = await import(file);

beforeEach(() => {
  received = 0;
});
afterAll(async () => {
  database.close();
  database.closeAllConnections();
  await rm(folder, { recursive: true });
});

const credentials = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' };

/** Returns the bundle's first request. */
function recordRequest(variables: Record<string, string>): { url: string; headers: Record<string, string> } {
  const env = { ...credentials, AWS_REGION: 'eu-central-1', EVENT: JSON.stringify(event), ...variables };
  return JSON.parse(
    execFileSync(process.execPath, ['test/infra/construct/record-request.mjs', file], { env, encoding: 'utf8' }),
  );
}

test.each<[Record<string, string>, string]>([
  [{}, 'https://dynamodb.eu-central-1.amazonaws.com'],
  [{ AWS_REGION: 'cn-north-1' }, 'https://dynamodb.cn-north-1.amazonaws.com.cn'],
  [{ AWS_USE_FIPS_ENDPOINT: 'true', AWS_REGION: 'us-east-1' }, 'https://dynamodb-fips.us-east-1.amazonaws.com'],
  [{ AWS_USE_FIPS_ENDPOINT: 'perhaps' }, 'https://dynamodb.eu-central-1.amazonaws.com'],
  [{ AWS_USE_DUALSTACK_ENDPOINT: 'true' }, 'https://dynamodb.eu-central-1.api.aws'],
  [{ AWS_ENDPOINT_URL: 'http://localhost:8000' }, 'http://localhost:8000'],
  [{ AWS_ENDPOINT_URL: 'http://a.test', AWS_ENDPOINT_URL_DYNAMODB: 'https://b.test:8443' }, 'https://b.test:8443'],
])('with %j a bundle sends requests to %s', (variables, url) => {
  expect(recordRequest(variables).url).toBe(url);
});

test('a bundle signs with the credentials and the session token of the environment', () => {
  const { headers } = recordRequest({});
  expect(headers['x-amz-security-token']).toBe('token');
  expect(headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-central-1\/dynamodb\/aws4_request, SignedHeaders=.*x-amz-security-token/,
  );
});

test('a bundle does not load Web Crypto', () => {
  const program = `await import(${JSON.stringify(file)}); console.log(process.moduleLoadList.join());`;
  const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(loaded).toContain('internal/crypto/hash');
  expect(loaded).not.toContain('internal/crypto/webcrypto');
});

const throttled = [400, { __type: 'com.amazonaws.dynamodb.v20120810#ThrottlingException' }] as const;

test.each([
  ['fails with 500', [500, {}]],
  ['throttles', throttled],
  ['resets the connection', 'reset'],
  ['cuts its answer off', 'cut'],
] as const)('a bundle repeats a request four times when the database %s', async (_, answer) => {
  answers = Array(4).fill(answer);
  expect(await handler(event, createContext())).toMatchObject({ statusCode: 404 });
  expect(received).toBe(5);
  answers = Array(5).fill(answer);
  expect(await handler(event, createContext())).toMatchObject({ statusCode: 503 });
});

test('a bundle logs errors of DynamoDB by their names, with a stack', async () => {
  answers = [[400, { __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException', message: 'No table' }]];
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  expect(await handler(event, createContext())).toMatchObject({ statusCode: 500 });
  const stack = expect.stringMatching(/^ResourceNotFoundException: No table\n {4}at .*get-user\.mjs:\d+:\d+/);
  expect(logged.mock.calls[0]?.[0]).toMatchObject({
    error: { name: 'ResourceNotFoundException', message: 'No table', stack },
  });
});
