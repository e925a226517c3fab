import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { mockClient } from 'aws-sdk-client-mock';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { openApiDocument } from '../../../infra/openapi/document.ts';
import { routes } from '../../../lib/rest/operations.ts';
import { responseFormats } from '../../../lib/rest/responses.ts';
import { createUserInput } from '../../../lib/users/input.ts';
import { clients, type Headers, type Response, UNKNOWN_ID } from '../../lib/rest/client.ts';
import { countRuns } from '../../setup/seed.ts';
import { newPerson } from '../../setup/test-data.ts';

// JSON drops undefined members.
const document = JSON.parse(JSON.stringify(openApiDocument('1.2.3')));
const described = responseFormats.flatMap((format) =>
  routes.map(({ name, operation: { method, path, status } }) => ({
    name,
    status,
    method: method.toLowerCase(),
    path: `${format.path}${path}`,
  })),
);

test('the document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(document.openapi).toMatch(/^3\.1\./);
});

test('its patterns are valid with and without the flag u', () => {
  const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)];
  expect(patterns.length).toBeGreaterThan(0);
  for (const [, pattern = ''] of patterns) for (const flags of ['', 'u']) new RegExp(JSON.parse(pattern), flags);
});

test.each(described)('$method $path documents its success status', ({ method, path, status }) => {
  const operation = document.paths[path][method];
  expect(operation.description).toMatch(/\S/);
  expect(Object.keys(operation.responses)).toContain(String(status));
});

test('the document has no other operations', () => {
  const methods = Object.values<object>(document.paths).flatMap((item) => Object.keys(item));
  expect(methods.filter((key) => key !== 'parameters')).toHaveLength(described.length);
});

test('no parameter has a default that forms would send with q and the service would reject', () => {
  for (const { path } of responseFormats) {
    const parameters: { name: string; schema?: object }[] = document.paths[path].get.parameters;
    const withDefault = parameters.filter(({ schema = {} }) => 'default' in schema).map(({ name }) => name);
    expect(['page', 'order', 'email'].filter((name) => withDefault.includes(name))).toEqual([]);
  }
});

test('every query parameter is described', () => {
  for (const { path } of responseFormats) {
    const parameters: { in?: string; description?: string }[] = document.paths[path].get.parameters;
    expect(parameters.filter((each) => each.in === 'query' && !each.description)).toEqual([]);
  }
});

test('lists of values are sent as repeated parameters', () => {
  for (const { path } of responseFormats) {
    const parameters: { name: string; schema?: { type?: string } }[] = document.paths[path].get.parameters;
    expect(parameters.filter(({ schema }) => schema?.type === 'array')).toMatchObject([{ name: 'id', explode: true }]);
  }
});

const resolver = new Validator();
await resolver.validate(structuredClone(document));
const resolved = JSON.parse(JSON.stringify(resolver.resolveRefs()));
const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
// ajv-formats lacks this format. The schema also has a pattern.
ajv.addFormat('idn-email', true);

type Media = { schema: object; example: unknown };

test.each(described)('the examples of $method $path match their schemas', ({ path, method }) => {
  const { requestBody, responses } = resolved.paths[path][method];
  const bodies = [requestBody, ...Object.values(responses)].flatMap((each) =>
    Object.values<Media>(each?.content ?? {}),
  );
  const errors = bodies.map(({ schema, example }) => ajv.validate(schema, example) || ajv.errorsText());
  expect(errors).toEqual(bodies.map(() => true));
});

// openapi-fetch can read only members that every error body declares.
test.each(described)('every error body of $method $path declares error and issues', ({ path, method }) => {
  const { responses } = resolved.paths[path][method];
  const bodies = Object.entries<{ content?: Record<string, { schema: { properties: object } }> }>(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { content }]) => Object.values(content ?? {}).map(({ schema }) => [status, schema.properties]));
  expect(bodies.length).toBeGreaterThan(10);
  for (const body of bodies) expect(body).toMatchObject([expect.anything(), { error: {}, issues: {} }]);
});

const userSchema = resolved.paths['/v1/users'].post.requestBody.content['application/json'].schema;
const isDescribed = (fields: object) => ajv.validate(userSchema, { ...newPerson(), ...fields });
const isAccepted = (fields: object) => createUserInput.safeParse({ ...newPerson(), ...fields }).success;

/** A pattern cannot describe malformed Unicode. */
const characters = fc.constantFrom(
  ...[
    'a',
    'Z',
    '7',
    '-',
    '.',
    '@',
    '"',
    ' ',
    '\t',
    '\n',
    '\0',
    '\x7f',
    '\u0085',
    '\u2028',
    '\u00a0',
    '\u3000',
    '\ufeff',
  ],
  ...['é', '李', '🦊', '\u0301', '\u200b', '\u200d', '\u202e', '\u2066', '\u061c', '\u3164', '\u2800'],
);
const text = fc.string({ unit: characters, maxLength: 8 });
const padding = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\u00a0', '\ufeff'), maxLength: 4 });
const names = fc.oneof(
  text,
  fc
    .tuple(text, fc.integer({ min: 250, max: 260 }), text)
    .map(([start, length, end]) => start + '🦊'.repeat(length) + end),
);

const spaces = ' '.repeat(300);

test.each([
  ...[
    ['Ada'],
    [' \tAda Lovelace\n'],
    ['🦊'],
    [''],
    [' \t'],
    ['Ada\nLovelace'],
    ['Ada\u0000'],
    ['A\u202eda'],
    ['\u3164'],
  ],
  ...[
    ['of 300 spaces', spaces],
    ['of 257', '🦊'.repeat(257)],
    ['of 256', spaces + '🦊'.repeat(256) + spaces],
  ],
])('the name %j is accepted by the service if the schema allows it, and only then', async (what, name = what) => {
  const status = isDescribed({ name }) ? 201 : 400;
  for (const client of clients) expect((await client.create({ ...newPerson(), name })).status).toBe(status);
});

test('the schema allows exactly the names that the service accepts', () => {
  fc.assert(
    fc.property(padding, names, padding, (before, text, after) => {
      const name = before + text + after;
      expect(isDescribed({ name })).toBe(isAccepted({ name }));
    }),
    { numRuns: countRuns(2_000) },
  );
});

const part = fc.string({
  unit: fc.oneof({ weight: 8, arbitrary: fc.constantFrom('a', 'Z', '7', '-') }, characters),
  maxLength: 5,
});
const long = fc.integer({ min: 50, max: 66 }).map((length) => 'x'.repeat(length));
const label = fc.oneof({ weight: 8, arbitrary: part }, long, fc.constantFrom('0x4', '09', 'org'));
const emails = fc
  .tuple(padding, fc.array(label, { minLength: 1, maxLength: 3 }), fc.array(label, { maxLength: 5 }), padding)
  .map(([before, local, domain, after]) => `${before}${local.join('.')}@${domain.join('.')}${after}`);

test('the schema allows every address that the service accepts, and no other ASCII address', () => {
  fc.assert(
    fc.property(emails, (email) => {
      const isAscii = /^[\0-\x7f]*$/.test(email.trim());
      if (isAscii || isAccepted({ email }))
        expect([email, isDescribed({ email })]).toEqual([email, isAccepted({ email })]);
    }),
    { numRuns: countRuns(5_000) },
  );
});

/** Every body has nosniff, and OpenAPI describes Content-Type in another way. */
const UNDOCUMENTED = ['content-type', 'x-content-type-options'];

function findUndocumented(path: string, method: string, { status, headers, text, json }: Response) {
  const response = resolved.paths[path][method].responses[status];
  if (!response) return [`status ${status}`];
  const known = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()));
  const unknown = Object.keys(headers).filter((name) => !UNDOCUMENTED.includes(name) && !known.has(name));
  const schema = response.content?.['application/json']?.schema;
  if (!schema) return text ? [...unknown, `body ${text}`] : unknown;
  return ajv.validate(schema, json) ? unknown : [...unknown, ajv.errorsText()];
}

test.each(described)('$method $path documents the challenge of a 403', ({ path, method }) => {
  expect(resolved.paths[path][method].responses[403].headers).toHaveProperty('WWW-Authenticate');
});

type Case = { on: 'list' | 'one'; method: string; status: number; send: () => Promise<Response> };

describe.each(clients)('responses of $path match the document', (client) => {
  const paths = { list: client.path, one: `${client.path}/{id}` };
  const newId = async () => (await client.newUser()).id;
  const html = { accept: 'text/html' };
  async function existingPerson() {
    const { name, email } = await client.newUser();
    return { name, email };
  }
  async function createTwice(headers: Headers) {
    await client.create(newPerson(), headers);
    return client.create(newPerson(), headers);
  }
  const cases: Case[] = [
    { on: 'list', method: 'get', status: 200, send: () => client.list() },
    { on: 'list', method: 'get', status: 200, send: () => client.list({}, { prefer: 'count=exact' }) },
    { on: 'list', method: 'get', status: 400, send: () => client.list({ after: 'x' }) },
    { on: 'list', method: 'get', status: 406, send: () => client.list({}, html) },
    { on: 'list', method: 'post', status: 201, send: () => client.create(newPerson()) },
    { on: 'list', method: 'post', status: 400, send: () => client.create({ name: '', nick: 'A' }) },
    { on: 'list', method: 'post', status: 409, send: async () => client.create(await existingPerson()) },
    { on: 'list', method: 'post', status: 415, send: () => client.create({}, { 'content-type': 'text/plain' }) },
    { on: 'list', method: 'post', status: 415, send: () => client.create({}, { 'content-encoding': 'gzip' }) },
    { on: 'list', method: 'post', status: 422, send: () => createTwice({ 'idempotency-key': client.path }) },
    { on: 'one', method: 'get', status: 200, send: async () => client.get(await newId()) },
    { on: 'one', method: 'get', status: 304, send: async () => client.get(await newId(), { 'if-none-match': '"1"' }) },
    { on: 'one', method: 'get', status: 404, send: () => client.get(UNKNOWN_ID) },
    { on: 'one', method: 'put', status: 200, send: async () => client.replace(await newId(), newPerson()) },
    { on: 'one', method: 'patch', status: 200, send: async () => client.update(await newId(), { name: 'Bo' }) },
    {
      on: 'one',
      method: 'patch',
      status: 412,
      send: async () => client.update(await newId(), {}, { 'if-match': '"9"' }),
    },
    {
      on: 'one',
      method: 'patch',
      status: 415,
      send: async () => client.update(await newId(), {}, { 'content-type': 'text/plain' }),
    },
    {
      on: 'one',
      method: 'patch',
      status: 415,
      send: async () => client.update(await newId(), {}, { 'content-encoding': 'gzip' }),
    },
    { on: 'one', method: 'delete', status: 204, send: async () => client.remove(await newId()) },
  ];

  test.each(cases)('$method of $on with status $status', async ({ on, method, status, send }) => {
    const response = await send();
    expect(response.status).toBe(status);
    expect(findUndocumented(paths[on], method, response)).toEqual([]);
  });

  test.each([
    ['ProvisionedThroughputExceededException', 503],
    ['Surprise', 500],
  ])('get of one when DynamoDB throws %s, with status %i', async (name, status) => {
    vi.spyOn(console, 'error').mockImplementationOnce(() => {});
    using database = Object.assign(mockClient(DynamoDBDocumentClient), { [Symbol.dispose]: () => database.restore() });
    database.onAnyCommand().rejects(Object.assign(new Error(name), { name }));
    const response = await client.get(UNKNOWN_ID);
    expect(response.status).toBe(status);
    expect(findUndocumented(paths.one, 'get', response)).toEqual([]);
  });
});
