import type { ListUsers, UserPage } from '../../users/list.ts';
import { parseInput } from '../../validation.ts';
import { listQueries } from '../list-queries.ts';
import type { RestOperation } from '../operation.ts';

export const listUsersOperation = {
  method: 'GET',
  path: '',
  summary: 'List users',
  status: 200,
  scope: 'users:read',
  read: ({ queryStringParameters = {} }, { name }) => parseInput(listQueries[name], queryStringParameters),
  render: (page, query, format) => format.renderList(page, query),
} as const satisfies RestOperation<ListUsers, UserPage>;
