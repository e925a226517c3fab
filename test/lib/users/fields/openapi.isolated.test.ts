import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test, vi } from 'vitest';
import { openApiDocument } from '../../../../infra/openapi/document.ts';
import { bare, enveloped } from '../../rest/client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/required-own-fields.json';
});

const document = JSON.parse(JSON.stringify(openApiDocument('1.2.3')));
const ajv = formats.default(new Ajv2020({ strict: false }));
ajv.addFormat('idn-email', true);
ajv.addSchema(document, 'openapi');

type Media = { schema: { $ref: string }; example: unknown };
type Content = { content?: Record<string, Media> };

test.each([enveloped, bare])(
  'the examples at $path have the required own fields and are valid',
  async ({ path, create, replace }) => {
    const contents = [document.paths[path], document.paths[`${path}/{id}`]]
      .flatMap((item) => Object.values<{ requestBody?: Content; responses?: Record<string, Content> }>(item))
      .flatMap(({ requestBody, responses = {} }) => [requestBody, ...Object.values(responses)])
      .flatMap((content) => Object.values(content?.content ?? {}))
      .filter(({ example }) => example !== undefined);
    expect(contents.length).toBeGreaterThan(5);
    for (const { schema, example } of contents)
      expect([example, ajv.validate(`openapi${schema.$ref}`, example) || ajv.errorsText()]).toEqual([example, true]);
    const { example } = document.paths[path].post.requestBody.content['application/json'];
    const response = await create({
      ...example,
      email: `own@${path.split('/')[1]}.example`,
      code: path === '/v1/users' ? 'AB' : 'CD',
    });
    expect([response.status, response.text]).toEqual([201, expect.stringContaining('"seat":7')]);
    expect(
      await replace('x', document.paths[`${path}/{id}`].put.requestBody.content['application/json'].example),
    ).toMatchObject({ status: 404 });
  },
);

test('enums have named schemas, alone, in lists and with null', () => {
  const { schemas } = document.components;
  const plan = { $ref: '#/components/schemas/PlanValue' };
  const colors = expect.objectContaining({ type: 'array', items: { $ref: '#/components/schemas/ColorsValue' } });
  expect(schemas).toMatchObject({
    User: { properties: { plan, colors } },
    UserInput: { properties: { plan, colors } },
    UserPatch: { properties: { plan, colors: { anyOf: [colors, { type: 'null' }] } } },
    PlanValue: { type: 'string', enum: ['free', 'pro'] },
    ColorsValue: { type: 'string', enum: ['red', 'green'] },
  });
  const { parameters } = document.paths['/v1/users'].get;
  expect(parameters).toContainEqual(
    expect.objectContaining({ name: 'order', schema: { $ref: '#/components/schemas/SortOrder' } }),
  );
});
