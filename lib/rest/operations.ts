import * as z from 'zod';
import { createUserInput, replaceUserInput, updateUserInput } from '../users/schema.ts';
import type { Deprecation } from './deprecation.ts';

const JSON_TYPE = 'application/json';

export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Behind the path of a shape. */
  path: '' | '/{id}';
  summary: string;
  status: 200 | 201 | 204;
  /** The schema of the body, and the media types it may come as. An `id` in it has to be the path's. */
  body?: z.ZodType<object>;
  accepts?: string[];
  scope: 'users:read' | 'users:write';
  /** Said in every answer of the operation. */
  deprecation?: Deprecation;
};

const recordBody = { id: true, ifVersion: true } as const;
const sameId = { id: z.string().optional().meta({ description: 'If given, the id of the path.' }) };

/** Every REST operation, named as its function. Routes, local gateway and OpenAPI document are made from this. */
export const operations = {
  'list-users': { method: 'GET', path: '', summary: 'List users, oldest first', status: 200, scope: 'users:read' },
  'get-user': { method: 'GET', path: '/{id}', summary: 'Get a user', status: 200, scope: 'users:read' },
  'create-user': {
    method: 'POST',
    path: '',
    summary: 'Create a user',
    status: 201,
    body: createUserInput,
    accepts: [JSON_TYPE],
    scope: 'users:write',
  },
  'replace-user': {
    method: 'PUT',
    path: '/{id}',
    summary: 'Replace a user',
    status: 200,
    body: replaceUserInput.omit(recordBody).extend(sameId),
    accepts: [JSON_TYPE],
    scope: 'users:write',
  },
  'update-user': {
    method: 'PATCH',
    path: '/{id}',
    summary: 'Change the given fields of a user',
    status: 200,
    body: updateUserInput.omit(recordBody).extend(sameId),
    accepts: [JSON_TYPE, 'application/merge-patch+json'],
    scope: 'users:write',
  },
  'delete-user': { method: 'DELETE', path: '/{id}', summary: 'Delete a user', status: 204, scope: 'users:write' },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
