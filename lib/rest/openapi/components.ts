import * as z from 'zod';
import { idempotencyKey } from '../../idempotency.ts';
import { createUserInput, type User } from '../../users/schema.ts';
import { formatEtag } from '../conditional-requests.ts';
import { type Operation, operations } from '../operations.ts';

/** The user of the document's examples. */
export const ada: User = {
  id: '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23',
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  version: 1,
};

export const ref = (kind: 'schemas' | 'parameters' | 'responses', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

/** What a client may send, as JSON Schema 2020-12. */
export function toJsonSchema(schema: z.ZodType) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    // zod leaves the default out of the metadata of what it transforms.
    override: ({ zodSchema, jsonSchema }) => Object.assign(jsonSchema, z.globalRegistry.get(zodSchema)),
  });
  return rest;
}

const bodies = Object.entries<Operation>(operations).flatMap(([name, { body }]) =>
  body ? [[name, toJsonSchema(body)]] : [],
);

export const schemas = {
  User: {
    type: 'object',
    properties: {
      id: { type: 'string', format: 'uuid', description: 'A UUIDv7: ids sort in the order of creation.' },
      ...toJsonSchema(createUserInput).properties,
    },
    required: ['id', 'name', 'email'],
    additionalProperties: false,
  },
  ...Object.fromEntries(bodies),
  Error: {
    type: 'object',
    properties: {
      error: { type: 'string', description: 'What is wrong, for people.' },
      issues: { type: 'array', items: { $ref: '#/components/schemas/Issue' }, description: 'Each fault of the input.' },
    },
    required: ['error'],
    additionalProperties: false,
  },
  Issue: {
    type: 'object',
    properties: {
      path: {
        type: 'array',
        items: { type: ['string', 'integer'] },
        description: 'Where in the input; [] is all of it.',
      },
      message: { type: 'string' },
    },
    required: ['path', 'message'],
    additionalProperties: false,
  },
  GatewayMessage: {
    type: 'object',
    properties: { message: { type: ['string', 'null'] } },
    required: ['message'],
  },
};

/** Of requests; each operation names those that it heeds. Their examples are prose: a reader's forms start empty. */
export const headerParameters = {
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: `Refused with 412 unless the user is at one of these versions, as \`${formatEtag(ada.version)}\` (RFC 9110 section 13.1.1).`,
    schema: { type: 'string' },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: `Answered with 304 if the user is still at one of these versions, as \`${formatEtag(ada.version)}\` (RFC 9110 section 13.1.2).`,
    schema: { type: 'string' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A key of your own, as a UUID. The same key and body within 24 hours give the first answer again and create nothing. A key belongs to its caller.',
    schema: toJsonSchema(idempotencyKey),
  },
};

export const securitySchemes = {
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Where the service is deployed with auth=jwt. The token holds the scope of the operation.',
  },
  iam: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'Where the service is deployed with auth=iam: requests signed with AWS Signature Version 4.',
    'x-amazon-apigateway-authtype': 'awsSigv4',
  },
};
