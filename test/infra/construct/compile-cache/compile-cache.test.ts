import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { bundle } from '../../../../infra/construct/bundling/bundle.ts';
import { addCompileCaches } from '../../../../infra/construct/compile-cache/compile-cache.ts';
import { startStubDatabase, USER_ID } from '../../../../infra/construct/compile-cache/stub-database.ts';
import { grants } from '../../../../infra/construct/grants.ts';
import { writeOwnFields } from '../../../../infra/own-fields/bundled-file.ts';
import { createRestEvent } from '../../../setup/event.ts';

const folder = mkdtempSync(join(tmpdir(), 'compile-cache-'));
const database = await startStubDatabase();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database[Symbol.asyncDispose]();
});

const architecture = process.arch === 'arm64' ? 'arm64' : 'x86_64';
const other = process.arch === 'arm64' ? 'x86_64' : 'arm64';
const [plain, cached] = [join(folder, 'plain'), join(folder, 'cached')];
await bundle(['get-user'], plain);
cpSync(plain, cached, { recursive: true });
const mismatch = await addCompileCaches(['get-user'], cached, { node: process.execPath, architecture });

const event = createRestEvent('GET', '/v1/users', { id: USER_ID });
const { pathParameters: _, ...faultyEvent } = event;

/** The result and warnings of a new process. */
async function invoke(bundles: string, flags: string[] = ['--expose-gc'], input: object = event) {
  const env = {
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    EVENT: JSON.stringify(input),
  };
  const file = join(bundles, 'get-user/get-user.mjs');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, 'test/infra/construct/invoke-bundle.mjs', file],
    {
      env,
    },
  );
  return JSON.parse(stdout);
}

/** A copy of the bundles whose cache has been changed. */
function changeCache(name: string, change: (cache: Buffer) => Buffer, alsoHash = false): string {
  const copy = join(folder, name);
  cpSync(cached, copy, { recursive: true });
  const file = (extension: string) => join(copy, `get-user/get-user.${extension}`);
  const [before, loader] = [readFileSync(file('cache')), readFileSync(file('mjs'), 'utf8')];
  const after = change(Buffer.from(before));
  writeFileSync(file('cache'), after);
  if (alsoHash) writeFileSync(file('mjs'), loader.replace(hash(before), hash(after)));
  return copy;
}

const hash = (data: Buffer) => createHash('sha256').update(data).digest('hex');

/** Flips the bits of one byte. */
const invert = (position: number) => (cache: Buffer) =>
  cache.fill(~(cache[position] ?? 0) & 0xff, position, position + 1);

const user = { statusCode: 200, body: expect.stringContaining(USER_ID) };
const rejected = [expect.objectContaining({ event: 'compile-cache-rejected', node: process.version })];

test('a Node.js that cannot be run is reported', async () => {
  const node = join(folder, 'nothing');
  expect(await addCompileCaches(['get-user'], cached, { node, architecture })).toBe(`${node} cannot be run`);
});

/** No other makes caches, such as the one for Apple silicon. */
const isNodeOfLambda = process.versions.node.startsWith('24.');

describe.runIf(isNodeOfLambda)('with the Node.js of Lambda', () => {
  test('every function gets a cache, also with own fields that its sample request must have', async () => {
    const [all, names] = [join(folder, 'all'), Object.keys(grants)];
    await bundle(names, all);
    await writeOwnFields({ born: { type: 'date', required: true } }, names, all);
    expect(await addCompileCaches(names, all, { node: process.execPath, architecture })).toBeUndefined();
    for (const name of names) expect(existsSync(join(all, name, `${name}.cache`)), name).toBe(true);
  });

  test('V8 accepts the cache in a read-only folder, also with the flags for memory that Lambda sets', async () => {
    expect(mismatch).toBeUndefined();
    chmodSync(join(cached, 'get-user'), 0o555);
    const flags = ['--expose-gc', '--max-semi-space-size=51', '--max-old-space-size=921'];
    expect(await invoke(cached, flags)).toMatchObject({ result: user, logged: [] });
    chmodSync(join(cached, 'get-user'), 0o755);
  });

  // https://github.com/v8/v8/blob/main/src/snapshot/code-serializer.h: magic number, version, source, flags, …
  const VERSION_POSITION = 4;

  test.each([
    ['was made with other flags', () => invoke(cached, ['--expose-gc', '--stack-size=900'])],
    ['was made by another version of V8', () => invoke(changeCache('version', invert(VERSION_POSITION), true))],
    ['is corrupt', () => invoke(changeCache('corrupt', invert(300_000)))],
    ['is too short', () => invoke(changeCache('short', (cache) => cache.subarray(0, 1000)))],
    ['is empty', () => invoke(changeCache('empty', () => Buffer.alloc(0), true))],
  ])('a function works and logs a warning when its cache %s', async (_, run) => {
    expect(await run()).toMatchObject({ result: user, logged: rejected });
  });
});

test('positions in stack traces are those of the bundle without a cache', async () => {
  const [[one], [another]] = [
    (await invoke(plain, [], faultyEvent)).logged,
    (await invoke(cached, ['--expose-gc'], faultyEvent)).logged,
  ];
  const readPositions = ({ stack }: { stack: string }) => stack.match(/get-user\.mjs:\d+:\d+/g);
  expect(readPositions(one.error)?.length).toBeGreaterThan(2);
  expect(readPositions(another.error)).toEqual(readPositions(one.error));
});

test('a Node.js of another architecture makes no caches', async () => {
  const before = readFileSync(join(plain, 'get-user/get-user.mjs'), 'utf8');
  expect(await addCompileCaches(['get-user'], plain, { node: process.execPath, architecture: other })).toBe(
    `${process.execPath} is Node.js ${process.versions.node} for ${process.arch}, but the functions run on 24 for ${other}`,
  );
  expect(readFileSync(join(plain, 'get-user/get-user.mjs'), 'utf8')).toBe(before);
});
