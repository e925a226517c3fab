import type { ListUsers, UserPage } from '../../users/list.ts';
import { parseInput } from '../../validation.ts';
import { listQueries } from '../list-queries.ts';
import type { RestOperation } from '../operation.ts';
import { readQuery } from '../requests.ts';

export const listUsersOperation = {
  method: 'GET',
  path: '',
  summary: 'List users',
  status: 200,
  scope: 'users:read',
  read: (event, { name }) => parseInput(listQueries[name], readQuery(event)),
  render: (page, query, format) => format.renderList(page, query),
} as const satisfies RestOperation<ListUsers, UserPage>;
