import * as z from 'zod/mini';
import { updateUserInput } from '../../users/inputs.ts';
import type { User } from '../../users/schema.ts';
import { notInBody, pathId, readChanges } from '../changes.ts';
import type { RestOperation } from '../operation.ts';
import { JSON_TYPE } from '../requests.ts';
import { renderUser } from '../responses.ts';

const MERGE_PATCH_TYPE = 'application/merge-patch+json';
const schema = z.extend(z.omit(updateUserInput, notInBody), pathId);

export const updateUserOperation = {
  method: 'PATCH',
  path: '/{id}',
  summary: 'Update a user',
  status: 200,
  scope: 'users:write',
  body: { schema, mediaTypes: [JSON_TYPE, MERGE_PATCH_TYPE] },
  requestHeaders: ['If-Match', 'If-None-Match'],
  read: (event) => readChanges(schema, event),
  render: (user, _, format) => renderUser(user, format),
} as const satisfies RestOperation<z.infer<typeof updateUserInput>, User>;
