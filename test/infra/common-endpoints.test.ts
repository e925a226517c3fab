import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { build } from 'esbuild';
import { afterAll, expect, test } from 'vitest';
import { commonEndpoints } from '../../infra/stack/bundling/common-endpoints.ts';

const folder = mkdtempSync(join(tmpdir(), 'endpoints-'));
afterAll(() => rmSync(folder, { recursive: true }));
await build({
  stdin: { contents: `export { DynamoDBClient } from '@aws-sdk/client-dynamodb'`, resolveDir: process.cwd() },
  outfile: join(folder, 'bundle.mjs'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  mainFields: ['module', 'main'],
  plugins: [commonEndpoints],
});

type Resolve = DynamoDBClient['config']['endpointProvider'];
type Combination = Parameters<Resolve>[0];
const options = { region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };
const byRules: Resolve = new DynamoDBClient(options).config.endpointProvider;
const { DynamoDBClient: Bundled } = await import(join(folder, 'bundle.mjs'));
const bundled: Resolve = new Bundled(options).config.endpointProvider;

const resolve = (provider: Resolve, parameters: Combination) => {
  try {
    const { url, ...others } = provider(parameters, {});
    return { url: url.href, ...others };
  } catch (error) {
    return (error as Error).message;
  }
};

const regions = [
  'us-east-1',
  'eu-central-1',
  'mx-central-1',
  'cn-north-1',
  'us-gov-west-1',
  'us-iso-east-1',
  'local',
  'x',
];
const parameters: Record<string, (string | boolean | undefined)[]> = {
  UseFIPS: [undefined, false, true],
  UseDualStack: [undefined, true],
  Endpoint: [undefined, 'http://localhost:8000/path', 'https://dynamodb.eu-central-1.api.aws'],
  AccountId: [undefined, '012345678901'],
  AccountIdEndpointMode: [undefined, 'preferred', 'required', 'disabled'],
  ResourceArn: [undefined, 'users', 'arn:aws:dynamodb:eu-central-1:012345678901:table/users'],
};

test.each([...regions, undefined])(
  'in the region %s every combination of parameters has the endpoint of the rules',
  (Region) => {
    let combinations: Combination[] = [{ Region }];
    for (const [name, values] of Object.entries(parameters))
      combinations = combinations.flatMap((others) => values.map((value) => ({ ...others, [name]: value })));
    for (const combination of combinations)
      expect([combination, resolve(bundled, combination)]).toEqual([combination, resolve(byRules, combination)]);
    expect(combinations.length).toBe(432);
  },
);
