import { v7 as uuidv7 } from 'uuid';
import { DIRECTORY, type Item, userKey } from '../../../lib/dynamodb/keys.ts';
import type { User } from '../../../lib/users/user.ts';

export const newUser = (name: string, email = `${uuidv7()}@example.org`): User => ({
  id: uuidv7(),
  name,
  email,
  own: {},
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  version: 1,
});

export const toItem = ({ id, own: _, ...attributes }: User): Item => ({
  ...userKey(id),
  directory: DIRECTORY,
  ...attributes,
});
