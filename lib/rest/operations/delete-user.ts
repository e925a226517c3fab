import type * as z from 'zod/mini';
import type { deleteUserInput } from '../../users/input.ts';
import type { RestOperation } from '../operation.ts';
import { readIdAndConditions } from '../requests.ts';

export const deleteUserOperation = {
  method: 'DELETE',
  path: '/{id}',
  status: 204,
  right: 'write',
  grant: { table: ['GetItem', 'PutItem', 'DeleteItem'] },
  requestHeaders: ['If-Match', 'If-None-Match', 'If-Unmodified-Since'],
  read: readIdAndConditions,
  render: () => ({}),
} as const satisfies RestOperation<z.infer<typeof deleteUserInput>, { id: string }>;
