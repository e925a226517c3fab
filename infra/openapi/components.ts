import * as z from 'zod/mini';
import { sortNames } from '../../lib/features/filters/entries.ts';
import { idempotencyKey } from '../../lib/input/schemas.ts';
import { personTitles, titles } from '../../lib/rest/errors.ts';
import { sortOrder } from '../../lib/rest/operations/list-users.ts';
import { type AnyOperation, operationNames, operations } from '../../lib/rest/operations.ts';
import { formatEtag } from '../../lib/rest/requests.ts';
import {
  type HeaderName,
  type HeaderValues,
  type ResponseFormat,
  renderHeaders,
  responseFormats,
} from '../../lib/rest/responses.ts';
import { valueSchema } from '../../lib/users/fields/value-schema.ts';
import { ownFields, subjectField } from '../../lib/users/fields/values.ts';
import { createUserInput } from '../../lib/users/input.ts';
import { exampleUser } from './example-user.ts';
import { examples } from './examples.ts';

export const ref = (kind: 'schemas' | 'parameters' | 'responses', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

/** The JSON Schema 2020-12 of what a client may send. */
export function toJsonSchema(schema: z.ZodMiniType) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    // zod leaves the metadata of transformed schemas out.
    override: ({ zodSchema, jsonSchema }) => Object.assign(jsonSchema, z.globalRegistry.get(zodSchema)),
  });
  return rest;
}

const declared: AnyOperation[] = operationNames.map((name): AnyOperation => operations[name]);

/** The values of each field that has a choice of them. They get a name: generators make one type of it, and a type in each place of a choice that has none. */
const choices = ownFields
  .filter((field) => field.enum)
  .map(({ list: _, ...field }) => ({
    field: field.name,
    name: `${field.name.slice(0, 1).toUpperCase()}${field.name.slice(1)}Value`,
    schema: valueSchema(field),
  }));

/** The values that lists can be sorted by. */
const sortChoice = sortNames.length > 0 ? { UserSort: { type: 'string', enum: [...sortNames] } } : {};

/** The name of the schema of a query parameter that is a choice. */
export function findChoiceName(parameter: string): string | undefined {
  if (parameter === 'order') return 'SortOrder';
  if (parameter === 'sort') return 'UserSort';
  return choices.find(({ field }) => field === parameter)?.name;
}

/** Readers see the default where there is no value. */
const alwaysShown = ownFields.flatMap((field) => (field.default === undefined ? [] : [field.name]));

/** The schema of a body, with references to the choices of own fields. */
function toBodySchema(schema: z.ZodMiniType) {
  const { properties = {}, ...body } = toJsonSchema(schema);
  const referring = choices.map(({ field, name }) => [field, referToChoice(properties[field], ref('schemas', name))]);
  return { ...body, properties: { ...properties, ...Object.fromEntries(referring) } };
}

/** A choice can be the items of a list, and an alternative to null. */
function referToChoice(schema: object | boolean | undefined, reference: object): object | boolean | undefined {
  if (typeof schema !== 'object') return schema;
  const { anyOf, items } = schema as { anyOf?: object[]; items?: object };
  if (anyOf) return { ...schema, anyOf: anyOf.map((each) => referToChoice(each, reference)) };
  if (items) return { ...schema, items: referToChoice(items, reference) };
  return 'enum' in schema || 'const' in schema ? reference : schema;
}

const bodies = declared.flatMap(({ body }) => (body ? [[body.name, toBodySchema(body.schema)]] : []));

const issues = { type: 'array', items: { $ref: '#/components/schemas/Issue' } };

/**
 * Typed clients, such as openapi-fetch, make one union of all error bodies. Bodies without these members declare them, so that
 * `error.error` and `error.issues` compile.
 */
const absent = { error: { type: 'string', description: 'Absent here: only an ErrorBody has it.' } };

export const schemas = {
  User: {
    type: 'object',
    properties: {
      id: { type: 'string', format: 'uuid', description: 'A UUIDv7: ids sort in the order of creation.' },
      ...toBodySchema(createUserInput).properties,
    },
    required: ['id', 'name', 'email', ...alwaysShown],
    additionalProperties: false,
  },
  ...(subjectField ? { Me: describeMe() } : {}),
  ...Object.fromEntries(bodies),
  ...Object.fromEntries(choices.map(({ name, schema }) => [name, toJsonSchema(schema)])),
  SortOrder: toJsonSchema(sortOrder),
  ...sortChoice,
  ErrorBody: {
    type: 'object',
    properties: {
      error: { type: 'string', description: 'A message for people.' },
      issues: {
        ...issues,
        description: 'The first 10 problems of the input, and how many more there are.',
      },
    },
    required: ['error'],
    additionalProperties: false,
  },
  Problem: {
    type: 'object',
    description: 'A problem of RFC 9457, for requests whose Accept names application/problem+json.',
    properties: {
      type: { type: 'string', format: 'uri', description: 'Identifies the problem, as `code` does.' },
      title: { type: 'string' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: { type: 'string', description: 'A message for people.' },
      code: { type: 'string', enum: [...Object.keys(titles), ...(subjectField ? Object.keys(personTitles) : [])] },
      issues,
      ...absent,
    },
    required: ['type', 'title', 'status', 'detail', 'code'],
    additionalProperties: false,
  },
  Issue: {
    type: 'object',
    properties: {
      path: {
        type: 'array',
        items: { title: 'PathSegment', type: ['string', 'integer'] },
        description: 'The place of the problem in the input; empty for the input as a whole.',
      },
      message: { type: 'string' },
    },
    required: ['path', 'message'],
    additionalProperties: false,
  },
  GatewayMessage: {
    type: 'object',
    properties: {
      message: { type: ['string', 'null'] },
      issues: { ...issues, description: 'Absent here.' },
      ...absent,
    },
    required: ['message'],
  },
};

/** What people see of their own record. */
function describeMe() {
  const hidden = ownFields.filter(({ self }) => self === 'hidden').map((field) => field.name);
  const isShown = (name: string) => !hidden.includes(name);
  const { properties = {} } = toBodySchema(createUserInput);
  const shown = Object.entries(properties).filter(([name]) => isShown(name));
  return {
    type: 'object',
    properties: { id: { type: 'string', format: 'uuid' }, ...Object.fromEntries(shown) },
    required: ['id', 'name', 'email', ...alwaysShown.filter(isShown)],
    additionalProperties: false,
  };
}

const exampleEtag = `\`${formatEtag(exampleUser)}\``;

/** They have no `example`, so that a form made from the document starts empty. */
export const headerParameters = {
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: `Returns or changes the user only if it is at one of these versions, such as ${exampleEtag}; otherwise the response is 412 (RFC 9110 section 13.1.1).`,
    schema: { type: 'string' },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: `If the user is at one of these versions, such as ${exampleEtag}, nothing is changed and the response is 412, or 304 to GET (RFC 9110 section 13.1.2).`,
    schema: { type: 'string' },
  },
  'If-Unmodified-Since': {
    name: 'If-Unmodified-Since',
    in: 'header',
    description:
      'Returns or changes the user only if it was not changed after this date, such as that of Last-Modified; otherwise the response is 412 (RFC 9110 section 13.1.4). Ignored with If-Match, which is exact.',
    schema: { type: 'string' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A key that the client chooses, such as a UUID, in quotes or not. A request with the same key and body within 24 hours gets the first response again and creates nothing. Keys of different callers are independent.',
    schema: toJsonSchema(idempotencyKey),
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`count=exact` asks for the number of users in `X-Total-Count` (RFC 7240). The answer has it for all users, and for one filter that at most 10,000 users meet.',
    schema: { type: 'string', examples: ['count=exact'] },
  },
};

export const securitySchemes = {
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'For deployments with auth=jwt. The token must have the scope of the operation, and that of a person the group that the deployment asks for.',
  },
  iam: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'For deployments with auth=iam: requests signed with AWS Signature Version 4.',
    'x-amazon-apigateway-authtype': 'awsSigv4',
  },
};

type Description = { description: string; schema: object; number?: true };

const descriptions: Record<HeaderName, Description> = {
  etag: {
    description:
      'The version of the user, for If-Match and If-None-Match (RFC 9110 section 8.8.3). With own fields, a hash of their values follows.',
    schema: { type: 'string', pattern: '^"\\d+(-[A-Za-z0-9_-]+)?"$' },
  },
  'last-modified': {
    description:
      'When the user was last changed (RFC 9110 section 8.8.2). Prefer ETag: several changes can have one date.',
    schema: { type: 'string' },
  },
  location: { description: 'The path of the new user.', schema: { type: 'string', format: 'uri-reference' } },
  'idempotency-replayed': {
    description: '`true` if the request repeats one that has created the user.',
    schema: { type: 'string', const: 'true' },
  },
  link: { description: 'Links to other pages of the list (RFC 8288).', schema: { type: 'string' } },
  'x-total-count': {
    description: 'The number of users on all pages.',
    schema: { type: 'integer', minimum: 0 },
    number: true,
  },
  'preference-applied': {
    description: '`count=exact` if the request asked for the number of users, and got it (RFC 7240 section 3).',
    schema: { type: 'string' },
  },
  allow: { description: 'The methods of this path (RFC 9110 section 10.2.1).', schema: { type: 'string' } },
  'accept-encoding': {
    description: 'The content codings of a body (RFC 9110 section 12.5.3).',
    schema: { type: 'string' },
  },
  'accept-patch': { description: 'The media types of a patch (RFC 5789 section 3.1).', schema: { type: 'string' } },
  'cache-control': {
    description: '`no-store`: the answer belongs to one person (RFC 9111 section 5.2.2.5).',
    schema: { type: 'string' },
  },
  'www-authenticate': {
    description: 'What the token lacks (RFC 6750 section 3, RFC 9470 section 3).',
    schema: { type: 'string' },
  },
  deprecation: { description: 'When the operation was deprecated (RFC 9745).', schema: { type: 'string' } },
  sunset: { description: 'When the operation will be removed (RFC 8594).', schema: { type: 'string' } },
  'retry-after': {
    description: 'Seconds to wait before the next attempt (RFC 9110 section 10.2.3).',
    schema: { type: 'integer', minimum: 0 },
    number: true,
  },
};

const toTitleCase = (name: string) =>
  name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()).replace('Etag', 'ETag');

/** Header Objects (https://spec.openapis.org/oas/v3.1.1.html#header-object) with the rendered values as examples. */
export function describeHeaders(values: HeaderValues) {
  // `Object.entries` loses the type of the names.
  const rendered = Object.entries(renderHeaders(values)) as [HeaderName, string][];
  return Object.fromEntries(
    rendered.map(([name, value]) => {
      const { number, ...header } = descriptions[name];
      return [toTitleCase(name), { ...header, example: number ? Number(value) : value }];
    }),
  );
}

/** `User` and `UserList`, or `UserEnvelope` and `UserListEnvelope`. */
export const responseSchemaName = (name: string, { suffix }: ResponseFormat): string =>
  `${name}${suffix && 'Envelope'}`;

/** The schemas of a user and of a list, as each format renders them. A user without an envelope is `User`. */
export const responseSchemas: Record<string, object> = Object.fromEntries(
  responseFormats.flatMap((format) =>
    operationNames.flatMap((operationName) => {
      const { response, render }: AnyOperation = operations[operationName];
      const [{ request, result }] = examples[operationName];
      const name = response && responseSchemaName(response.name, format);
      return name && name !== 'User' && name !== 'Me'
        ? [[name, inferSchema(render(result, request, format).body, response.name)]]
        : [];
    }),
  ),
);

/** Infers the schema of a response body from an example: records, numbers, and arrays and objects of them. */
function inferSchema(body: unknown, response: 'User' | 'UserList' | 'Me'): object {
  if (Array.isArray(body)) return { type: 'array', items: inferSchema(body[0], response) };
  if (typeof body === 'number') return { type: 'integer', minimum: 0 };
  const members = Object.entries(body ?? {});
  if (members.some(([, member]) => member === exampleUser.id)) return ref('schemas', response === 'Me' ? 'Me' : 'User');
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [name, inferSchema(member, response)])),
    required: members.map(([name]) => name),
    additionalProperties: false,
  };
}
