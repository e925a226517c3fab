import type { User } from '../../users/schema.ts';
import type { OperationName } from '../operations.ts';
import type { RestRequests } from '../requests.ts';
import type { Results } from '../responses.ts';

export const exampleUser: User = {
  id: '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23',
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  version: 1,
};
const { id, name, email } = exampleUser;

type Example<Name extends OperationName> = { request: RestRequests[Name]; result: Results[Name] };

/** A request of each operation, and what its function returns. */
export const examples: { [Name in OperationName]: Example<Name> } = {
  // A page between two others has every kind of link.
  'list-users': { request: { page: 2, limit: 1 }, result: { users: [exampleUser], next: id, total: 3 } },
  'get-user': { request: { id, ifNoneMatch: undefined }, result: exampleUser },
  'create-user': { request: { input: { name, email }, idempotencyKey: undefined }, result: exampleUser },
  'replace-user': { request: { id, name, email }, result: exampleUser },
  'update-user': { request: { id, name }, result: exampleUser },
  'delete-user': { request: { id }, result: { id } },
};

export const exampleBodies: Partial<Record<OperationName, object>> = {
  'create-user': { name, email },
  'replace-user': { name, email },
  'update-user': { name },
};
