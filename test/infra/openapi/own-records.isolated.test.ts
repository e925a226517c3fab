import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test, vi } from 'vitest';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/person-fields.json';
});
const { openApiDocument } = await import('../../../infra/openapi/document.ts');

type Content = Record<string, { schema: object; example: unknown }>;
type Documented = { headers?: Record<string, { schema: object; example: unknown }>; content?: Content };
type Operation = { responses: Record<string, Documented>; requestBody?: object };

const validator = new Validator();
// JSON drops undefined members.
const { valid } = await validator.validate(JSON.parse(JSON.stringify(openApiDocument('1.2.3'))));
const { paths } = JSON.parse(JSON.stringify(validator.resolveRefs())) as {
  paths: Record<string, Record<string, Operation>>;
};
const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
ajv.addFormat('idn-email', true);

test('the document with own records is valid', () => expect(valid).toBe(true));

test.each([
  ['get', '200 304 400 401 403 404 406 412 429 500 503'],
  ['post', '201 400 401 403 404 406 409 415 429 500 503'],
  ['patch', '200 400 401 403 404 406 409 412 415 429 500 503'],
  ['delete', '204 400 401 403 404 405 409 412 429 500 503'],
])('%s of an own record has the statuses %s', (method, statuses) => {
  for (const path of ['/v1/users/me', '/api/users/me'])
    expect(Object.keys(paths[path]?.[method]?.responses ?? {}).join(' ')).toBe(statuses);
});

test('sign-in has the statuses of POST and of a found record', () => {
  for (const path of ['/v1/users/me/sign-in', '/api/users/me/sign-in']) {
    const { responses, requestBody } = paths[path]?.post ?? { responses: {} };
    expect(Object.keys(responses).join(' ')).toBe('200 201 400 401 403 404 406 409 415 429 500 503');
    expect(responses['200']?.headers).toHaveProperty('Sign-In-Outcome.example', 'found');
    expect(responses['200']?.headers).toHaveProperty('Email-Conflict.example', 'true');
    expect(responses['201']?.headers).toHaveProperty('Sign-In-Outcome.example', 'created');
    expect(responses['201']?.headers).toHaveProperty('Location');
    expect(JSON.stringify(requestBody)).not.toContain('"required":["name"');
  }
});

test('a download has the statuses of a read, and 429', () => {
  for (const path of ['/v1/users/me/data', '/api/users/me/data']) {
    const { responses } = paths[path]?.get ?? { responses: {} };
    expect(Object.keys(responses).join(' ')).toBe('200 400 401 403 404 406 429 500 503');
    expect(responses['200']?.headers).toHaveProperty('Content-Disposition');
    expect(responses['429']?.headers).toHaveProperty('Retry-After');
  }
});

test('examples of headers and bodies match their schemas', () => {
  const operations = Object.values(paths).flatMap((path) => Object.values(path).filter((each) => 'responses' in each));
  const examples = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ headers = {}, content = {} }) => [
      ...Object.values(headers),
      ...Object.values(content),
    ]),
  );
  expect(examples.length).toBeGreaterThan(100);
  for (const { schema, example } of examples)
    expect(ajv.validate(schema, example) || `${JSON.stringify(example)}: ${ajv.errorsText()}`).toBe(true);
});

test('errors that a function sends for own records name what the person can do', () => {
  const me = paths['/v1/users/me'];
  expect(me?.delete?.responses['403']?.headers).toHaveProperty('WWW-Authenticate');
  expect(me?.delete?.responses['405']?.headers).toHaveProperty('Allow');
  expect(me?.post?.responses['409']?.headers).toHaveProperty('Location');
  expect(me?.post?.responses['429']?.headers).toHaveProperty('Retry-After');
});
