import * as z from 'zod/mini';
import { invalidInput } from '../../errors.ts';
import { notInBody, replaceUserInput } from '../../users/input.ts';
import type { User } from '../../users/user.ts';
import type { Event, RestOperation } from '../operation.ts';
import { JSON_TYPE } from '../requests.ts';
import { renderUser } from '../responses.ts';
import { pathId, readUserUpdate } from '../user-update.ts';

const schema = z.extend(z.omit(replaceUserInput, notInBody), pathId);

export const replaceUserOperation = {
  method: 'PUT',
  path: '/{id}',
  status: 200,
  right: 'write',
  grant: { table: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'] },
  body: { schema, mediaTypes: [JSON_TYPE] },
  requestHeaders: ['If-Match', 'If-None-Match', 'If-Unmodified-Since'],
  read(event) {
    rejectRange(event);
    return readUserUpdate(schema, event);
  },
  render: (user, _, format) => renderUser(user, format),
} as const satisfies RestOperation<z.infer<typeof replaceUserInput>, User>;

/** Rejects a partial PUT (RFC 9110 section 14.5). */
export function rejectRange({ headers }: Event): void {
  if (headers['content-range'] !== undefined)
    throw invalidInput(['Content-Range'], 'is not supported: PUT replaces the whole user');
}
