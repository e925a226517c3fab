import type { User } from '../../users/schema.ts';
import type { Rendered, RestOperation } from '../operation.ts';
import { type OperationName, operations } from '../operations.ts';
import type { ResponseFormat } from '../response-formats.ts';

export const exampleUser: User = {
  id: '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23',
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  version: 1,
};
const { id, name, email } = exampleUser;

/** What the formats render for a request of each operation, and what its function returns. */
export const examples: Record<OperationName, (format: ResponseFormat) => Rendered> = {
  // A page between two others has every kind of link.
  'list-users': render(operations['list-users'], { page: 2, limit: 1 }, { users: [exampleUser], next: id, total: 3 }),
  'get-user': render(operations['get-user'], { id, ifNoneMatch: undefined }, exampleUser),
  'create-user': render(operations['create-user'], { input: { name, email }, idempotencyKey: undefined }, exampleUser),
  'replace-user': render(operations['replace-user'], { id, name, email }, exampleUser),
  'update-user': render(operations['update-user'], { id, name }, exampleUser),
  'delete-user': render(operations['delete-user'], { id }, { id }),
};

function render<Request, Result>(operation: RestOperation<Request, Result>, request: Request, result: Result) {
  return (format: ResponseFormat) => operation.render(result, request, format);
}

export const exampleBodies: Partial<Record<OperationName, object>> = {
  'create-user': { name, email },
  'replace-user': { name, email },
  'update-user': { name },
};
