import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, test, vi } from 'vitest';
import { openApiDocument } from '../../lib/rest/openapi.ts';
import { operations } from '../../lib/rest/operations.ts';
import { responseFormats } from '../../lib/rest/response-formats.ts';
import { type RestClient, clients, person, type Reply } from './client.ts';

// As it is served: what JSON leaves out is no part of it.
const document = JSON.parse(JSON.stringify(openApiDocument('1.2.3')));
const routes = responseFormats.flatMap((shape) =>
  Object.entries(operations).map(([name, { method, path, status }]) => ({
    name,
    status,
    method: method.toLowerCase(),
    path: `${shape.path}${path}`,
  })),
);

test('the document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(document.openapi).toMatch(/^3\.1\./);
});

test.each(routes)('$method $path is documented, with its success', ({ name, method, path, status }) => {
  const operation = document.paths[path][method];
  expect(operation.operationId).toMatch(new RegExp(`-${name}$`));
  expect(Object.keys(operation.responses)).toContain(String(status));
});

test('the document has no operation that the table has not', () => {
  const methods = Object.values<object>(document.paths).flatMap((item) => Object.keys(item));
  expect(methods.filter((key) => key !== 'parameters')).toHaveLength(routes.length);
});

test('operation ids are unique', () => {
  const ids = routes.map(({ path, method }) => document.paths[path][method].operationId);
  expect(new Set(ids).size).toBe(routes.length);
});

const resolver = new Validator();
await resolver.validate(structuredClone(document));
const resolved = JSON.parse(JSON.stringify(resolver.resolveRefs()));
const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
// JSON Schema's own format, which ajv-formats does not know; the service's own rule is tested where it is made.
ajv.addFormat('idn-email', /^\S+@\S+$/);

test.each(routes)('the examples of $method $path follow their schemas', ({ path, method }) => {
  const { requestBody, responses } = resolved.paths[path][method];
  const bodies = [requestBody, ...Object.values(responses)].flatMap((each) =>
    Object.values<Media>(each?.content ?? {}),
  );
  expect(bodies.map(({ schema, example }) => ajv.validate(schema, example) || ajv.errorsText())).toEqual(
    bodies.map(() => true),
  );
});

type Media = { schema: object; example: unknown };

/** What of a reply the document does not say. */
function undocumented(path: string, method: string, { status, headers, text, json }: Reply) {
  const response = resolved.paths[path][method].responses[status];
  if (!response) return [`status ${status}`];
  const known = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()));
  const unknown = Object.keys(headers).filter((name) => name !== 'content-type' && !known.has(name));
  const schema = response.content?.['application/json']?.schema;
  if (!schema) return text ? [...unknown, `body ${text}`] : unknown;
  return ajv.validate(schema, json) ? unknown : [...unknown, ajv.errorsText()];
}

describe.each(clients)('the replies of $path are as documented', (client) => {
  const one = `${client.path}/{id}`;
  const cases: Record<
    string,
    (client: RestClient) => Promise<[path: string, method: string, reply: Reply, status: number]>
  > = {
    'a list': async () => [client.path, 'get', await client.list(), 200],
    'a list by a wrong query': async () => [client.path, 'get', await client.list({ after: 'x' }), 400],
    'a list as HTML': async () => [client.path, 'get', await client.list({}, { accept: 'text/html' }), 406],
    'a new user': async () => [client.path, 'post', await client.create(person()), 201],
    'an invalid user': async () => [client.path, 'post', await client.create({ name: '', nick: 'A' }), 400],
    'a taken email': async () => {
      const { email } = await client.newUser();
      return [client.path, 'post', await client.create({ name: 'Ada', email }), 409];
    },
    'a body of text': async () => [client.path, 'post', await client.create({}, { 'content-type': 'text/plain' }), 415],
    'a used key': async () => {
      const key = { 'idempotency-key': `key-of-${client.path}` };
      await client.create(person(), key);
      return [client.path, 'post', await client.create(person(), key), 422];
    },
    'a user': async () => [one, 'get', await client.get((await client.newUser()).id), 200],
    'an unchanged user': async () => [
      one,
      'get',
      await client.get((await client.newUser()).id, { 'if-none-match': '"1"' }),
      304,
    ],
    nobody: async () => [one, 'get', await client.get('nobody'), 404],
    'a replaced user': async () => [one, 'put', await client.replace((await client.newUser()).id, person()), 200],
    'an updated user': async () => [
      one,
      'patch',
      await client.update((await client.newUser()).id, { name: 'Bo' }),
      200,
    ],
    'a stale update': async () => [
      one,
      'patch',
      await client.update((await client.newUser()).id, { name: 'Bo' }, { 'if-match': '"9"' }),
      412,
    ],
    'a deleted user': async () => [one, 'delete', await client.remove((await client.newUser()).id), 204],
  };

  test.each(Object.entries(cases))('%s', async (_, make) => {
    const [path, method, reply, status] = await make(client);
    expect(reply.status).toBe(status);
    expect(undocumented(path, method, reply)).toEqual([]);
  });

  test.each([
    ['a busy database', 'ProvisionedThroughputExceededException', 503],
    ['a fault', 'Surprise', 500],
  ])('%s', async (_, name, status) => {
    vi.spyOn(console, 'error').mockImplementationOnce(() => {});
    using database = Object.assign(mockClient(DynamoDBDocumentClient), {
      [Symbol.dispose]: () => database.restore(),
    });
    database.onAnyCommand().rejects(Object.assign(new Error(name), { name }));
    const reply = await client.get('01890000-0000-7000-8000-000000000000');
    expect(reply.status).toBe(status);
    expect(undocumented(one, 'get', reply)).toEqual([]);
  });
});
