import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, test, vi } from 'vitest';
import { openApiDocument } from '../../lib/rest/openapi.ts';
import { operations } from '../../lib/rest/operations.ts';
import { responseFormats } from '../../lib/rest/response-formats.ts';
import { newPerson } from '../setup/test-data.ts';
import { clients, type Headers, type Response, UNKNOWN_ID } from './client.ts';

// As it is served: without the members that JSON leaves out.
const document = JSON.parse(JSON.stringify(openApiDocument('1.2.3')));
const routes = responseFormats.flatMap((format) =>
  Object.entries(operations).map(([name, { method, path, status }]) => ({
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

test.each(routes)('$method $path is documented with its success', ({ method, path, status }) => {
  const operation = document.paths[path][method];
  expect(operation.description).toMatch(/\S/);
  expect(Object.keys(operation.responses)).toContain(String(status));
});

test('the document has no other operations', () => {
  const methods = Object.values<object>(document.paths).flatMap((item) => Object.keys(item));
  expect(methods.filter((key) => key !== 'parameters')).toHaveLength(routes.length);
});

test('no parameter has a default that a form would send with q, which does not go with it', () => {
  for (const { path } of responseFormats) {
    const parameters: { name: string; schema: object }[] = document.paths[path].get.parameters;
    const withDefault = parameters.filter(({ schema }) => 'default' in schema).map(({ name }) => name);
    expect(['page', 'order', 'email'].filter((name) => withDefault.includes(name))).toEqual([]);
  }
});

const resolver = new Validator();
await resolver.validate(structuredClone(document));
const resolved = JSON.parse(JSON.stringify(resolver.resolveRefs()));
const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
// A format of JSON Schema that ajv-formats lacks. The service's own rule is tested in validation.test.ts.
ajv.addFormat('idn-email', /^\S+@\S+$/);

type Media = { schema: object; example: unknown };

test.each(routes)('the examples of $method $path match their schemas', ({ path, method }) => {
  const { requestBody, responses } = resolved.paths[path][method];
  const bodies = [requestBody, ...Object.values(responses)].flatMap((each) =>
    Object.values<Media>(each?.content ?? {}),
  );
  const errors = bodies.map(({ schema, example }) => ajv.validate(schema, example) || ajv.errorsText());
  expect(errors).toEqual(bodies.map(() => true));
});

test.each([
  ['Ada', true],
  [' \tAda Lovelace\n', true],
  ['🦊', true],
  ['', false],
  [' \t', false],
  ['Ada\nLovelace', false],
  ['Ada\u0000', false],
  ['Ada\u0085', false],
])('the schema of a name, like the service, is given %j and says %s', async (name, valid) => {
  const { schema } = resolved.paths['/v1/users'].post.requestBody.content['application/json'];
  const body = { ...newPerson(), name };
  expect(ajv.validate(schema, body)).toBe(valid);
  for (const client of clients) expect((await client.create({ ...newPerson(), name })).status).toBe(valid ? 201 : 400);
});

/** OpenAPI describes Content-Type by other means; nosniff comes with every body. */
const UNDOCUMENTED = ['content-type', 'x-content-type-options'];

/** The parts of a response that are not documented. */
function findUndocumented(path: string, method: string, { status, headers, text, json }: Response) {
  const response = resolved.paths[path][method].responses[status];
  if (!response) return [`status ${status}`];
  const known = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()));
  const unknown = Object.keys(headers).filter((name) => !UNDOCUMENTED.includes(name) && !known.has(name));
  const schema = response.content?.['application/json']?.schema;
  if (!schema) return text ? [...unknown, `body ${text}`] : unknown;
  return ajv.validate(schema, json) ? unknown : [...unknown, ajv.errorsText()];
}

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
    { on: 'list', method: 'get', status: 400, send: () => client.list({ after: 'x' }) },
    { on: 'list', method: 'get', status: 406, send: () => client.list({}, html) },
    { on: 'list', method: 'post', status: 201, send: () => client.create(newPerson()) },
    { on: 'list', method: 'post', status: 400, send: () => client.create({ name: '', nick: 'A' }) },
    { on: 'list', method: 'post', status: 409, send: async () => client.create(await existingPerson()) },
    { on: 'list', method: 'post', status: 415, send: () => client.create({}, { 'content-type': 'text/plain' }) },
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
