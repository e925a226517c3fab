import { expect, test } from 'vitest';
import { inferSchema } from '../../../infra/openapi/components.ts';
import { openApiDocument } from '../../../infra/openapi/document.ts';
import { exampleUser } from '../../../infra/openapi/example-user.ts';
import { routes } from '../../../lib/rest/operations.ts';
import { responseFormats } from '../../../lib/rest/responses.ts';

const document = JSON.parse(JSON.stringify(openApiDocument('1.2.3')));
const described = responseFormats.flatMap((format) =>
  routes.map(({ operation: { method, path } }) => ({
    method: method.toLowerCase(),
    path: `${format.path}${path}`,
  })),
);

test('operation ids and schema names make readable clients', () => {
  const ids = described.map(({ path, method }) => document.paths[path][method].operationId);
  expect(ids).toEqual(
    expect.arrayContaining([
      'listUsers',
      'getUser',
      'createUser',
      'replaceUser',
      'upsertUser',
      'updateUser',
      'deleteUser',
    ]),
  );
  for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
  const names = Object.keys(document.components.schemas);
  expect(names).toEqual(
    expect.arrayContaining(['User', 'UserInput', 'UserReplacement', 'UserUpsert', 'UserPatch', 'UserList']),
  );
  for (const name of names) expect(name).toMatch(/^([A-Z][a-z]+)+$/);
  // A class Error would shadow the built-in one in generated code.
  expect(names).not.toContain('Error');
});

test('operation ids are unique', () => {
  expect(new Set(described.map(({ path, method }) => document.paths[path][method].operationId)).size).toBe(
    described.length,
  );
});

test('the schema of a response is inferred from an example with any members', () => {
  const example = {
    id: exampleUser.id,
    initials: 'AL',
    count: 1,
    share: 0.5,
    isNew: true,
    nickname: null,
    tags: ['a'],
  };
  expect(inferSchema({ data: example, user: exampleUser }, 'Initials')).toMatchObject({
    properties: {
      data: {
        properties: {
          id: { type: 'string' },
          initials: { type: 'string' },
          count: { type: 'integer' },
          share: { type: 'number' },
          isNew: { type: 'boolean' },
          nickname: {},
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
      user: { $ref: '#/components/schemas/User' },
    },
  });
});
