import type * as z from 'zod/mini';
import type { deleteUserInput } from '../../users/inputs.ts';
import type { RestOperation } from '../operation.ts';
import { readTarget } from '../requests.ts';

export const deleteUserOperation = {
  method: 'DELETE',
  path: '/{id}',
  summary: 'Delete a user',
  status: 204,
  scope: 'users:write',
  requestHeaders: ['If-Match', 'If-None-Match'],
  read: readTarget,
  render: () => ({}),
} as const satisfies RestOperation<z.infer<typeof deleteUserInput>, { id: string }>;
