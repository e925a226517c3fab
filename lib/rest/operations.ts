import * as z from 'zod/mini';
import { createUserInput, replaceUserInput, updateUserInput } from '../users/schema.ts';
import type { Deprecation } from './response-headers.ts';

export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Follows the path of the response format. */
  path: '' | '/{id}';
  summary: string;
  status: 200 | 201 | 204;
  scope: 'users:read' | 'users:write';
  body?: { schema: z.ZodMiniType<object>; mediaTypes: readonly string[] };
  /** The request header that makes the operation conditional or repeatable. */
  requestHeader?: 'If-None-Match' | 'If-Match' | 'Idempotency-Key';
  /** Sent as headers of every response. */
  deprecation?: Deprecation;
};

const JSON_TYPE = 'application/json';
const MERGE_PATCH_TYPE = 'application/merge-patch+json';

/** In REST, the id of the user is in the path, and the version in If-Match. */
const notInBody = { id: true, ifVersion: true } as const;
const pathId = {
  id: z.optional(z.string()).register(z.globalRegistry, { description: 'If present, the id in the path.' }),
};

/** Every REST operation, named as its function: the source of the routes, the local gateway and the OpenAPI document. */
export const operations = {
  'list-users': {
    method: 'GET',
    path: '',
    summary: 'List users',
    status: 200,
    scope: 'users:read',
  },
  'get-user': {
    method: 'GET',
    path: '/{id}',
    summary: 'Get a user',
    status: 200,
    scope: 'users:read',
    requestHeader: 'If-None-Match',
  },
  'create-user': {
    method: 'POST',
    path: '',
    summary: 'Create a user',
    status: 201,
    scope: 'users:write',
    body: { schema: createUserInput, mediaTypes: [JSON_TYPE] },
    requestHeader: 'Idempotency-Key',
  },
  'replace-user': {
    method: 'PUT',
    path: '/{id}',
    summary: 'Replace a user',
    status: 200,
    scope: 'users:write',
    body: { schema: z.extend(z.omit(replaceUserInput, notInBody), pathId), mediaTypes: [JSON_TYPE] },
    requestHeader: 'If-Match',
  },
  'update-user': {
    method: 'PATCH',
    path: '/{id}',
    summary: 'Update a user',
    status: 200,
    scope: 'users:write',
    body: { schema: z.extend(z.omit(updateUserInput, notInBody), pathId), mediaTypes: [JSON_TYPE, MERGE_PATCH_TYPE] },
    requestHeader: 'If-Match',
  },
  'delete-user': {
    method: 'DELETE',
    path: '/{id}',
    summary: 'Delete a user',
    status: 204,
    scope: 'users:write',
    requestHeader: 'If-Match',
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** `Object.keys` loses the type of the names. */
export const operationNames = Object.keys(operations) as OperationName[];
