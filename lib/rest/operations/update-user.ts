import * as z from 'zod/mini';
import { mergePatchShape, notInBody, updateUserInput } from '../../users/input.ts';
import type { Changes, User } from '../../users/user.ts';
import type { RestOperation } from '../operation.ts';
import { hasMediaType, JSON_TYPE, MERGE_PATCH_TYPE } from '../requests.ts';
import { renderUser } from '../responses.ts';
import { pathId, readUserUpdate } from '../user-update.ts';

const schema = z.extend(z.omit(updateUserInput, notInBody), pathId);
const mergePatchSchema = z.extend(schema, mergePatchShape);

export const updateUserOperation = {
  method: 'PATCH',
  path: '/{id}',
  status: 200,
  right: 'write',
  grant: { table: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'] },
  body: { schema, mediaTypes: [JSON_TYPE, MERGE_PATCH_TYPE] },
  requestHeaders: ['If-Match', 'If-None-Match', 'If-Unmodified-Since'],
  read: (event) =>
    hasMediaType(event, MERGE_PATCH_TYPE)
      ? { ...readUserUpdate(mergePatchSchema, event), mergesJson: true }
      : readUserUpdate(schema, event),
  render: (user, _, format) => renderUser(user, format),
} as const satisfies RestOperation<Changes, User>;
