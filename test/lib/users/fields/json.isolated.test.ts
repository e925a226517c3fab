import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { type GraphQLResolveInfo, parse, printSchema, validateSchema } from 'graphql';
import { describe, expect, test, vi } from 'vitest';
import { describeField } from '../../../../infra/openapi/values.ts';
import { userKey } from '../../../../lib/dynamodb/keys.ts';
import { environment } from '../../../../lib/environment.ts';
import { countRuns } from '../../../setup/seed.ts';
import { newPerson } from '../../../setup/test-data.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/json-own-fields.json';
});
const { clients, bare, parseError } = await import('../../rest/client.ts');
const { execute, fetchData, mutate, send } = await import('../../graphql/client.ts');
const { logWrite } = await import('../../on-change/log-write.ts');
const { getUser } = await import('../../../../lib/users/read.ts');
const { schema } = await import('../../../../lib/graphql/schema/schema.ts');
const { valueSchema } = await import('../../../../lib/users/fields/value-schema.ts');
const { createCloudEvent } = await import('../../../../lib/features/events/cloud-event.ts');
const { readLatestEntries } = await import('../../../../lib/features/change-log/read.ts');
const { INEXACT_NUMBER } = await import('../../../../lib/input/exact-json.ts');
const { EPOCH, userTopic } = await import('../../../../lib/features/change-log/topics.ts');

const MERGE = { 'content-type': 'application/merge-patch+json' };

type Shown = Record<string, unknown> & { id: string };
const read = ({ json }: { json: unknown }) => ((json as { data?: Shown }).data ?? json) as Shown; // Only /api/users has `data`.

/** Generates JSON values. `-0` becomes 0, because JSON.stringify writes 0. */
const json = fc
  .letrec((tie) => ({
    value: fc.oneof({ maxDepth: 5 }, tie('leaf'), fc.array(tie('value'), { maxLength: 3 }), tie('object')),
    leaf: fc.oneof(
      fc.constantFrom<unknown>(
        null,
        '',
        0,
        -0,
        1e21,
        5e-324,
        1.7976931348623157e308,
        2 ** 53 + 2,
        0.1,
        '😀',
        '"',
        '\u0000',
        '\u2028',
      ),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.boolean(),
    ),
    object: fc.dictionary(
      fc.oneof(
        fc.constantFrom('', ' ', '0', '10', '😀', 'toString', 'a.b', '"', '\n'),
        fc.string({ unit: 'grapheme', maxLength: 5 }),
      ),
      tie('value'),
      { maxKeys: 3 },
    ),
  }))
  .value.filter((value) => value !== null && valueSchema({ type: 'json', maxBytes: 2000 }).safeParse(value).success);

const nest = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

describe.each(clients)('a field of the type json at $path', (client) => {
  test('every value is returned as sent', async () => {
    const values = [
      ...fc.sample(json, { numRuns: countRuns(100), seed: 7396 }),
      nest(16),
      'text',
      false,
      0,
      [],
      { a: null },
    ];
    for (const settings of values) {
      const sent = JSON.parse(JSON.stringify(settings));
      const created = await client.create({ ...newPerson(), settings });
      expect([created.status, read(created).settings]).toEqual([201, sent]);
      const { id } = read(created);
      expect(read(await client.get(id)).settings).toEqual(sent);
      // Compares text, because toEqual ignores the order of members.
      expect(JSON.stringify(read(await client.get(id)).settings)).toBe(JSON.stringify(settings));
      expect(await fetchData('query ($id: ID!) { user(id: $id) { settings } }', { id })).toEqual({
        user: { settings: sent },
      });
    }
  });

  test.each<[string, string, PropertyKey[], string]>([
    ['a key __proto__', '{"a":[{"__proto__":{}}]}', ['a', 0, '__proto__'], 'is a key that is not allowed'],
    ['a key constructor', '{"constructor":1}', ['constructor'], 'is a key that is not allowed'],
    ['a key prototype', '{"a":{"prototype":1}}', ['a', 'prototype'], 'is a key that is not allowed'],
    ['17 levels', JSON.stringify(nest(17)), Array(16).fill(0), 'is nested more than 16 levels deep'],
    ['a number beyond JavaScript', '[1e400]', [0], INEXACT_NUMBER],
    ['an id of 60 bits', '{"id":750727362669608961}', ['id'], INEXACT_NUMBER],
    ['a number that would become 0', '1e-400', [], INEXACT_NUMBER],
    ['a repeated key', '{"a":[{"b":1,"c":2,"b":1}]}', ['a', 0, 'b'], 'must be given only once'],
    ['half a surrogate pair', '["\\ud800"]', [0], 'must be well-formed Unicode'],
    ['half a surrogate pair in a key', '{"\\ud800":1}', ['\ufffd'], 'must be a key of well-formed Unicode'],
    ['too many bytes', JSON.stringify('é'.repeat(1000)), [], 'takes 2002 bytes as JSON, which is more than 2000'],
    ['null', 'null', [], 'must not be null'],
    [
      'a long key',
      `{"${'k'.repeat(900)}":{"constructor":1}}`,
      [`${'k'.repeat(50)}…`, 'constructor'],
      'is a key that is not allowed',
    ],
  ])('%s is rejected with its path', async (_, text, path, message) => {
    const body = JSON.stringify({ ...newPerson(), settings: 0 }).replace('"settings":0', `"settings":${text}`);
    const response = await client.create(body);
    expect([response.status, parseError(response).issues]).toEqual([400, [{ path: ['settings', ...path], message }]]);
  });

  test('PATCH of application/json replaces the value, and null clears it', async () => {
    const { id } = read(await client.create({ ...newPerson(), settings: { a: 1, b: { c: 2 } } }));
    expect(read(await client.update(id, { settings: { b: null } })).settings).toEqual({ b: null });
    expect(read(await client.update(id, { settings: null }))).not.toHaveProperty('settings');
    const sent = { ...newPerson(), settings: { a: 1 } };
    expect(read(await client.replace(id, sent)).settings).toEqual({ a: 1 });
    expect(read(await client.replace(id, newPerson()))).not.toHaveProperty('settings');
  });
});

test('a repeated creation may have the members of JSON in another order, at any depth', async () => {
  const key = { 'idempotency-key': crypto.randomUUID() };
  const person = newPerson();
  const first = await bare.create({ ...person, settings: { a: [{ b: 1, c: { d: 2, e: null } }], f: 3 } }, key);
  const again = await bare.create({ settings: { f: 3, a: [{ c: { e: null, d: 2 }, b: 1 }] }, ...person }, key);
  expect([first.status, again.status, again.json]).toEqual([201, 201, first.json]);
  expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true' });
  for (const settings of [
    { a: [{ b: 1, c: { d: 2 } }], f: 3 },
    { a: [{ b: 1, c: { d: 2, e: 0 } }], f: 3 },
  ])
    expect((await bare.create({ ...person, settings }, key)).status).toBe(422);
});

/** Examples of RFC 7396, appendix A, without targets or results that a field cannot have. */
test.each<[target: unknown, patch: unknown, result: unknown]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [undefined, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('application/merge-patch+json: %j and %j make %j', async (settings, patch, result) => {
  const { id } = read(await bare.create({ ...newPerson(), settings }));
  expect(read(await bare.update(id, { settings: patch }, MERGE)).settings).toEqual(result);
  expect(read(await bare.get(id)).settings).toEqual(result);
});

test('a merge applies to the default, and is repeated if the user has changed', async () => {
  const { id, choices } = read(await bare.create(newPerson()));
  expect(choices).toEqual({ news: true });
  expect(read(await bare.update(id, { choices: { calls: false } }, MERGE)).choices).toEqual({
    news: true,
    calls: false,
  });
  await Promise.all(Array.from({ length: 5 }, (_, at) => bare.update(id, { choices: { [`n${at}`]: at } }, MERGE)));
  expect(read(await bare.get(id)).choices).toEqual({ news: true, calls: false, n0: 0, n1: 1, n2: 2, n3: 3, n4: 4 });
});

test('the limit applies to the merged value, not to the patch', async () => {
  const names = Array.from({ length: 210 }, (_, at) => `k${at}`);
  const settings = Object.fromEntries(names.map((name) => [name, 0]));
  const { id } = read(await bare.create({ ...newPerson(), settings }));
  const patch = { settings: Object.fromEntries(names.map((name) => [name, null])) };
  expect(JSON.stringify(patch.settings).length).toBeGreaterThan(2000);
  const tooLong = await bare.update(id, { settings: { more: 'x'.repeat(300) } }, MERGE);
  expect([tooLong.status, parseError(tooLong).issues]).toMatchObject([
    400,
    [{ path: ['settings'], message: expect.stringMatching(/^takes 2\d{3} bytes as JSON, which is more than 2000$/) }],
  ]);
  expect(read(await bare.update(id, patch, MERGE)).settings).toEqual({});
  const forbidden = await bare.update(id, '{"settings":{"a":{"__proto__":null}}}', MERGE);
  expect(parseError(forbidden).issues).toMatchObject([{ path: ['settings', 'a', '__proto__'] }]);
  expect((await bare.update(id, { settings: null }, MERGE)).text).not.toContain('settings');
});

test('the size limit of all own fields counts JSON, not the stored text', async () => {
  const text = '"'.repeat(990);
  const { id } = read(await bare.create({ ...newPerson(), settings: [text] }));
  expect((await bare.update(id, { more: 'x'.repeat(4000) })).status).toBe(200);
  const { status, json } = await bare.update(id, { more: 'é'.repeat(3500) });
  expect([status, json]).toMatchObject([400, { error: expect.stringContaining('together must have at most 8192') }]);
});

test('GraphQL has the scalar JSON, in literals and variables', async () => {
  expect(validateSchema(schema)).toEqual([]);
  expect(printSchema(schema)).toMatch(/scalar JSON\b/);
  expect(printSchema(schema)).toContain('choices: JSON!');
  const { payload } = await mutate('createUser', { ...newPerson(), settings: { a: [1, { '': null }] } });
  const id = String(payload?.user.id);
  const update = (value: string, variables: object = {}, declared = '') =>
    fetchData(
      `mutation ($id: ID!${declared}) { updateUser(input: { id: $id, settings: ${value} }) { user { settings } } }`,
      { id, ...variables },
    );
  expect(await fetchData('query ($id: ID!) { user(id: $id) { settings } }', { id })).toEqual({
    user: { settings: { a: [1, { '': null }] } },
  });
  const shows = (settings: unknown) => ({ updateUser: { user: { settings } } });
  expect(await update('{ a: { b: [1.5, true, null, "x"] } }')).toEqual(shows({ a: { b: [1.5, true, null, 'x'] } }));
  expect(await update('{ a: $v }', { v: { b: 1 } }, ', $v: JSON')).toEqual(shows({ a: { b: 1 } }));
  expect(await update('null')).toEqual(shows(null));
  for (const literal of ['{ a: { __proto__: 1 } }', '{ a: { constructor: 1 } }', '1e400'])
    await expect(update(literal)).rejects.toThrow();
});

test('GraphQL rejects what JSON.parse would change, in variables and literals', async () => {
  const { payload } = await mutate('createUser', newPerson());
  const id = String(payload?.user.id);
  const declared = 'mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { settings } } }';
  const path = ['variables', 'input', 'settings', 'id'];
  for (const [settings, message] of [
    ['{"id":750727362669608961}', INEXACT_NUMBER],
    ['{"id":1,"id":2}', 'must be given only once'],
  ])
    expect(
      await send('POST', {
        body: `{"query":"${declared}","variables":{"input":{"id":"${id}","settings":${settings}}}}`,
      }),
    ).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'BAD_USER_INPUT', issues: [{ path, message }] } }],
    });
  const update = (literal: string) =>
    execute(`mutation { updateUser(input: { id: "${id}", settings: ${literal} }) { user { settings } } }`);
  for (const literal of ['{ id: 750727362669608961 }', '[1e-400]', '0.30000000000000001'])
    expect((await update(literal)).errors).toMatchObject([
      { message: `The number ${INEXACT_NUMBER}`, extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  expect((await update('{ a: { b: 1, b: 2 } }')).errors).toHaveLength(1);
  expect((await getUser({ id })).own.settings).toBeUndefined();
});

test('GraphQL returns the path of a forbidden key', async () => {
  const { payload } = await mutate('createUser', newPerson());
  const input = JSON.parse(`{"id":"${payload?.user.id}","settings":{"a":{"__proto__":1}}}`);
  expect((await mutate('updateUser', input)).text).toContain('settings.a.__proto__: is a key that is not allowed');
});

test('the values count towards the bytes of a GraphQL response', async () => {
  const { payload } = await mutate('createUser', { ...newPerson(), settings: { text: 'x'.repeat(1900) } });
  const user = await getUser({ id: String(payload?.user.id) });
  const { Budget } = await import('../../../../lib/graphql/budget.ts');
  const { definitions } = parse('{ users { settings } }', { noLocation: true });
  const fieldNodes = definitions.flatMap((node) =>
    'selectionSet' in node ? (node.selectionSet?.selections ?? []) : [],
  );
  // The cast is safe, because spendReturned reads only these members.
  const info = { fieldNodes, fragments: {} } as unknown as GraphQLResolveInfo;
  expect(new Budget().spendReturned(Array(2000).fill(user), info)).toHaveLength(2000);
  expect(() => new Budget().spendReturned(Array(3000).fill(user), info)).toThrow('more than 5000000 bytes');
});

test('history, streams and events contain the value, and the table its JSON text', async () => {
  const { payload } = await mutate('createUser', { ...newPerson(), settings: { a: 1e21 } });
  const id = String(payload?.user.id);
  await logWrite(userKey(id), () => mutate('updateUser', { id, settings: [{ '': 1 }] }));
  expect((await getUser({ id })).fields).toEqual({ settings: '[{"":1}]' });
  const document =
    'query ($id: ID!) { userHistory(id: $id) { nodes { changed before { settings } after { settings } } } }';
  expect(await fetchData(document, { id })).toEqual({
    userHistory: {
      nodes: [{ changed: ['settings'], before: { settings: { a: 1e21 } }, after: { settings: [{ '': 1 }] } }],
    },
  });
  const { userChanges } = await fetchData<{ userChanges: { nodes: unknown[] } }>(
    'query ($since: DateTime!) { userChanges(since: $since, first: 100) { nodes { id user { settings } } } }',
    { since: new Date(environment.now() - 60_000).toISOString() },
  );
  expect(userChanges.nodes).toContainEqual({ id, user: { settings: [{ '': 1 }] } });
  const [entry] = await readLatestEntries(userTopic(id, EPOCH), undefined, 1);
  expect(entry && createCloudEvent(entry)?.data).toMatchObject({
    before: { settings: { a: 1e21 } },
    after: { settings: [{ '': 1 }] },
  });
});

test('a history does not name JSON whose members only have another order', async () => {
  const { payload } = await mutate('createUser', { ...newPerson(), settings: { a: 1, b: { c: 2, d: 3 } } });
  const id = String(payload?.user.id);
  await logWrite(userKey(id), () => mutate('updateUser', { id, name: 'Ada', settings: { b: { d: 3, c: 2 }, a: 1 } }));
  const document = 'query ($id: ID!) { userHistory(id: $id) { nodes { changed } } }';
  expect(await fetchData(document, { id })).toEqual({ userHistory: { nodes: [{ changed: ['name'] }] } });
});

test('a stored text that is not JSON, or a map, counts as no value', async () => {
  const { resolveFields } = await import('../../../../lib/users/fields/values.ts');
  for (const settings of ['{', { a: 1 }, 'null', 7])
    expect(resolveFields({ settings }).own).toMatchObject({ settings: undefined, choices: { news: true } });
});

test('the OpenAPI document accepts every value but null', () => {
  const described = describeField({ type: 'json', label: 'Settings' });
  expect(described).toMatchObject({ title: 'Settings', 'x-maxBytes': 1000 });
  const isValid = new Ajv2020({ strict: false }).compile(described);
  for (const value of [{}, [], 'x', 0, false, { a: null }]) expect(isValid(value)).toBe(true);
  expect(isValid(null)).toBe(false);
});
