import type * as z from 'zod/mini';
import { sortNames } from '../../lib/features/filters/entries.ts';
import { idempotencyKey } from '../../lib/input/schemas.ts';
import { personTitles, titles } from '../../lib/rest/errors.ts';
import { sortOrder } from '../../lib/rest/operations/list-users.ts';
import { routes } from '../../lib/rest/operations.ts';
import { formatEtag } from '../../lib/rest/requests.ts';
import {
  type HeaderName,
  type HeaderValues,
  type ResponseFormat,
  renderHeaders,
  responseFormats,
} from '../../lib/rest/responses.ts';
import { MAX_OCTETS } from '../../lib/users/email.ts';
import type { OwnField } from '../../lib/users/fields/declaration.ts';
import { membershipField, ownFields, subjectField } from '../../lib/users/fields/values.ts';
import { createUserInput, MAX_NAME_LENGTH } from '../../lib/users/input.ts';
import { operationDescriptions } from './descriptions.ts';
import { exampleUser } from './example-user.ts';
import { examples } from './examples.ts';
import { describeEmail, describeField, describePlainText, type JsonSchema, toJsonSchema } from './values.ts';

export const ref = (kind: 'schemas' | 'parameters' | 'responses', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

/** Named schemas: client generators create one type instead of one per use. */
const choices = ownFields
  .filter((field) => field.enum)
  .map(({ list: _, ...field }) => ({
    field: field.name,
    name: `${field.name.slice(0, 1).toUpperCase()}${field.name.slice(1)}Value`,
    schema: describeField(field),
  }));

const sortChoice = sortNames.length > 0 ? { UserSort: { type: 'string', enum: [...sortNames] } } : {};

/** Undefined unless the query parameter has an enum. */
export function findChoiceName(parameter: string): string | undefined {
  if (parameter === 'order') return 'SortOrder';
  if (parameter === 'sort') return 'UserSort';
  return choices.find(({ field }) => field === parameter)?.name;
}

/** A field with a default always has a value in responses. */
const alwaysShown = ownFields.flatMap((field) => (field.default === undefined ? [] : [field.name]));

const members: Record<string, JsonSchema> = {
  id: { description: 'Must be the id in the path. Optional.' },
  token: { description: 'An access token of the other login, at most 5 minutes old.' },
  idToken: {
    description:
      'An ID token of your sign-in, at most 5 minutes old. Send it if your access token has no verified address: the address of the ID token counts instead.',
  },
  name: {
    ...describePlainText(MAX_NAME_LENGTH),
    description: `At most ${MAX_NAME_LENGTH} characters after trimming, at least one of them visible. One line. Must not contain control characters or characters that change the text direction.`,
    examples: ['Ada Lovelace'],
  },
  email: {
    ...describeEmail(),
    description: `At most ${MAX_OCTETS} octets after trimming. Stored as typed. Must be unique, ignoring case.`,
    examples: ['ada@example.org'],
  },
};

function toBodySchema(schema: z.ZodMiniType) {
  const { properties = {}, ...body } = toJsonSchema(schema);
  const described = Object.entries(properties).map(([name, property]) => [
    name,
    describeMember(name, typeof property === 'object' ? property : {}),
  ]);
  return { ...body, properties: Object.fromEntries(described) };
}

function describeMember(name: string, property: JsonSchema): JsonSchema {
  const field = ownFields.find((each) => each.name === name);
  if (!field) return { ...property, ...members[name] };
  const value = referToChoice(field);
  const allowsNull = Array.isArray(property.type) || property.anyOf !== undefined;
  if (!allowsNull) return value;
  const hasOnlyType = Object.keys(value).join() === 'type';
  return hasOnlyType ? property : { anyOf: [value, { type: 'null' }] };
}

function referToChoice(field: OwnField): JsonSchema {
  const choice = findChoiceName(field.name);
  if (!choice) return describeField(field);
  const reference = ref('schemas', choice);
  return field.list ? { ...describeField(field), items: reference } : reference;
}

const bodies = routes.flatMap(({ name: operationName, operation: { body } }) => {
  const { body: name } = operationDescriptions[operationName];
  return body && name ? [[name, toBodySchema(body.schema)]] : [];
});

const issues = { type: 'array', items: { $ref: '#/components/schemas/Issue' } };

/**
 * Members that an error body never has. Typed clients such as openapi-fetch create a union of all error bodies, where
 * `error.error` and `error.issues` only compile if every body declares them.
 */
const absent = { error: { type: 'string', description: 'Never set here: only ErrorBody has it.' } };

/** Responses contain the role, even if the request left it out. */
const shownMemberships = membershipField ? { [membershipField.name]: describeShownMemberships(membershipField) } : {};

const TIMED = 'Only with `include=times`.';

export const schemas = {
  User: {
    type: 'object',
    properties: {
      id: { type: 'string', format: 'uuid', description: 'A UUIDv7. Ids sort by creation time.' },
      ...toBodySchema(createUserInput).properties,
      ...shownMemberships,
      createdAt: { type: 'string', format: 'date-time', description: TIMED },
      updatedAt: { type: 'string', format: 'date-time', description: TIMED },
      version: { type: 'integer', minimum: 1, description: TIMED },
    },
    required: ['id', 'name', 'email', ...alwaysShown],
    additionalProperties: false,
  },
  ...(subjectField ? { Me: describeMe(), MeData: describeMyData() } : {}),
  ...Object.fromEntries(bodies),
  ...Object.fromEntries(choices.map(({ name, schema }) => [name, schema])),
  SortOrder: toJsonSchema(sortOrder),
  ...sortChoice,
  ErrorBody: {
    type: 'object',
    properties: {
      error: { type: 'string', description: 'What is wrong, for humans. The text may change.' },
      issues: {
        ...issues,
        description: 'Set if the input is invalid: the first 10 issues. An additional item counts the others.',
      },
    },
    required: ['error'],
    additionalProperties: false,
  },
  Problem: {
    type: 'object',
    description:
      'An RFC 9457 problem. Sent if your Accept header names application/problem+json and does not prefer JSON.',
    properties: {
      type: { type: 'string', format: 'uri', description: 'Identifies the kind of problem, like `code`.' },
      title: { type: 'string' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: { type: 'string', description: 'What is wrong, for humans. The text may change.' },
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
        description: 'Path to the invalid value in the input. Empty if the issue concerns the whole input.',
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
      issues: { ...issues, description: 'Never set here.' },
      ...absent,
    },
    required: ['message'],
  },
};

function describeShownMemberships(field: OwnField): JsonSchema {
  const schema = describeField(field);
  return { ...schema, items: { ...(schema.items as JsonSchema), required: ['id', 'role'] } };
}

function describeMyData() {
  const texts = { type: 'array', items: { type: 'string' } };
  const objects = { type: 'array', items: { type: 'object' } };
  const properties = {
    missing: { ...texts, description: 'What the file lacks.' },
    user: { type: 'object' },
    logins: texts,
    earlierRecords: { ...texts, description: 'Ids of your deleted records.' },
    posts: objects,
    changes: { ...objects, description: 'Latest first.' },
  };
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** A person's own record: a user without hidden fields. */
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

/** No `example`: tools would prefill their forms with it. */
export const headerParameters = {
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: `One or more \`ETag\` values, such as ${exampleEtag}. The response is 412 unless the user has one of these versions (RFC 9110 section 13.1.1).`,
    schema: { type: 'string' },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: `One or more \`ETag\` values, such as ${exampleEtag}. If the user has one of these versions, GET responds with 304, and other methods change nothing and respond with 412 (RFC 9110 section 13.1.2).`,
    schema: { type: 'string' },
  },
  'If-Unmodified-Since': {
    name: 'If-Unmodified-Since',
    in: 'header',
    description:
      'A date, for example from `Last-Modified`. The response is 412 if the user was changed after it (RFC 9110 section 13.1.4). Ignored together with `If-Match`, which is more precise.',
    schema: { type: 'string' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes retries safe. Choose a unique key, such as a UUID, with or without quotes. Another request with the same key and body within 24 hours returns the first response and creates nothing. Keys of different callers are independent.',
    schema: toJsonSchema(idempotencyKey),
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`count=exact` requests the number of users in `X-Total-Count` (RFC 7240). Supported for all users, and for a single filter with at most 10,000 users.',
    schema: { type: 'string', examples: ['count=exact'] },
  },
};

export const securitySchemes = {
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'For deployments with auth=jwt. The token needs the scope of the operation. The token of a person may also need a group, which the deployment chooses.',
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
      'The version of the user, for `If-Match` and `If-None-Match` (RFC 9110 section 8.8.3). Treat it as opaque.',
    schema: { type: 'string', pattern: '^"[A-Za-z0-9._-]+"$' },
  },
  'last-modified': {
    description:
      'When the user was last changed (RFC 9110 section 8.8.2). Prefer `ETag`: several changes can share a date.',
    schema: { type: 'string' },
  },
  location: { description: 'The path of the new user.', schema: { type: 'string', format: 'uri-reference' } },
  'idempotency-replayed': {
    description: '`true` if an earlier request with the same key has created the user.',
    schema: { type: 'string', const: 'true' },
  },
  link: { description: 'Links to other pages of the list (RFC 8288).', schema: { type: 'string' } },
  'x-total-count': {
    description: 'Users on all pages.',
    schema: { type: 'integer', minimum: 0 },
    number: true,
  },
  'preference-applied': {
    description: '`count=exact` if the response honours this preference (RFC 7240 section 3).',
    schema: { type: 'string' },
  },
  allow: { description: 'Supported methods of this path (RFC 9110 section 10.2.1).', schema: { type: 'string' } },
  'accept-encoding': {
    description: 'Supported content codings of a request body (RFC 9110 section 12.5.3).',
    schema: { type: 'string' },
  },
  'accept-patch': {
    description: 'Supported media types of a PATCH body (RFC 5789 section 3.1).',
    schema: { type: 'string' },
  },
  'sign-in-outcome': {
    description:
      '`found`: you had a record. `linked`: an existing record with your verified address is now yours. `created`: the record is new.',
    schema: { type: 'string', enum: ['found', 'linked', 'created'] },
  },
  'email-conflict': {
    description:
      '`true` if the record keeps its address because another user has the verified address of your token. Absent otherwise.',
    schema: { type: 'string', const: 'true' },
  },
  'content-disposition': {
    description: 'The name of the file (RFC 6266).',
    schema: { type: 'string', pattern: '^attachment; filename="[^"]+"$' },
  },
  'cache-control': {
    description:
      '`private, no-cache`: a cache asks the service before each use, with `If-None-Match`. `no-store`: the response is personal and must not be cached (RFC 9111 section 5.2.2).',
    schema: { type: 'string' },
  },
  'www-authenticate': {
    description: 'What your token lacks (RFC 6750 section 3, RFC 9470 section 3).',
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
  name
    .replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
    .replace('Etag', 'ETag')
    .replace('Www', 'WWW');

/** https://spec.openapis.org/oas/v3.1.1.html#header-object */
export function describeHeaders(values: HeaderValues) {
  // Cast: Object.entries widens keys to string.
  const rendered = Object.entries(renderHeaders(values)) as [HeaderName, string][];
  return Object.fromEntries(
    rendered.map(([name, value]) => {
      const { number, ...header } = descriptions[name];
      return [toTitleCase(name), { ...header, example: number ? Number(value) : value }];
    }),
  );
}

/** Returns a name such as `UserList`, or `UserListEnvelope` in the format with an envelope. */
export const responseSchemaName = (name: string, { suffix }: ResponseFormat): string =>
  `${name}${suffix && 'Envelope'}`;

export const responseSchemas: Record<string, object> = Object.fromEntries(
  responseFormats.flatMap((format) =>
    routes.flatMap(({ name: operationName, operation: { render } }) => {
      const { response } = operationDescriptions[operationName];
      const [{ request, result }] = examples[operationName];
      const name = response && responseSchemaName(response, format);
      return name && !(name in schemas) ? [[name, inferSchema(render(result, request, format).body, response)]] : [];
    }),
  ),
);

/**
 * Infers a schema from an example. All members are required. Users become references to `User` or `Me`, downloads to
 * `MeData`.
 */
export function inferSchema(body: unknown, response: string): object {
  if (Array.isArray(body)) return { type: 'array', items: inferSchema(body[0], response) };
  if (Number.isInteger(body)) return { type: 'integer', minimum: 0 };
  if (typeof body !== 'object') return { type: typeof body };
  // An example that is null does not show the type of other values.
  if (body === null) return {};
  if (response === 'MeData' && 'missing' in body) return ref('schemas', 'MeData');
  if (isUser(body)) return ref('schemas', response === 'Me' ? 'Me' : 'User');
  const members = Object.entries(body);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [name, inferSchema(member, response)])),
    required: members.map(([name]) => name),
    additionalProperties: false,
  };
}

function isUser(body: object): boolean {
  return 'id' in body && body.id === exampleUser.id && 'name' in body && 'email' in body;
}
