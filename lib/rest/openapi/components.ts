import * as z from 'zod/mini';
import { idempotencyKey } from '../../idempotency.ts';
import { createUserInput } from '../../users/inputs.ts';
import { formatEtag } from '../conditional-requests.ts';
import type { Operation } from '../operation.ts';
import { operationNames, operations } from '../operations.ts';
import { exampleUser } from './examples.ts';
import { bodySchemaNames } from './names.ts';

export const ref = (kind: 'schemas' | 'parameters' | 'responses', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

/** What a client may send, as JSON Schema 2020-12. */
export function toJsonSchema(schema: z.ZodMiniType) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    // zod leaves the metadata of transformed schemas out.
    override: ({ zodSchema, jsonSchema }) => Object.assign(jsonSchema, z.globalRegistry.get(zodSchema)),
  });
  return rest;
}

const bodies = operationNames.flatMap((name) => {
  const { body }: Operation = operations[name];
  return body ? [[bodySchemaNames[name] ?? name, toJsonSchema(body.schema)]] : [];
});

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
      error: { type: 'string', description: 'A message for people.' },
      issues: {
        type: 'array',
        items: { $ref: '#/components/schemas/Issue' },
        description: 'The first 10 problems of the input, and how many more there are.',
      },
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
        description: 'The place of the problem in the input; empty for the input as a whole.',
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

const exampleEtag = `\`${formatEtag(exampleUser.version)}\``;

/** Without `example`, so that a form made from the document starts empty. */
export const headerParameters = {
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: `Changes the user only if it is at one of these versions, such as ${exampleEtag}; otherwise the response is 412 (RFC 9110 section 13.1.1).`,
    schema: { type: 'string' },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: `If the user is at one of these versions, such as ${exampleEtag}, nothing is changed and the response is 412, or 304 to GET (RFC 9110 section 13.1.2).`,
    schema: { type: 'string' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A key that the client chooses, such as a UUID. A request with the same key and body within 24 hours gets the first response again and creates nothing. Keys of different callers are independent.',
    schema: toJsonSchema(idempotencyKey),
  },
};

export const securitySchemes = {
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'For deployments with auth=jwt. The token must have the scope of the operation.',
  },
  iam: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'For deployments with auth=iam: requests signed with AWS Signature Version 4.',
    'x-amazon-apigateway-authtype': 'awsSigv4',
  },
};
