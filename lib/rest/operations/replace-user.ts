import * as z from 'zod/mini';
import { replaceUserInput } from '../../users/inputs.ts';
import type { User } from '../../users/schema.ts';
import { notInBody, pathId, readChanges } from '../changes.ts';
import type { RestOperation } from '../operation.ts';
import { JSON_TYPE } from '../requests.ts';
import { renderUser } from '../responses.ts';

const schema = z.extend(z.omit(replaceUserInput, notInBody), pathId);

export const replaceUserOperation = {
  method: 'PUT',
  path: '/{id}',
  summary: 'Replace a user',
  status: 200,
  scope: 'users:write',
  body: { schema, mediaTypes: [JSON_TYPE] },
  requestHeaders: ['If-Match', 'If-None-Match'],
  read: (event) => readChanges(schema, event),
  render: (user, _, format) => renderUser(user, format),
} as const satisfies RestOperation<z.infer<typeof replaceUserInput>, User>;
