import { type Item, parseUserId } from '../../dynamodb/keys.ts';
import type { User } from '../schema.ts';

/** Undefined for an item that was damaged by hand. Without zod, which `on-change` does without otherwise. */
export function readUser({ pk, name, email, createdAt, updatedAt, version }: Item): User | undefined {
  const isValid =
    typeof pk === 'string' &&
    typeof name === 'string' &&
    typeof email === 'string' &&
    typeof createdAt === 'string' &&
    typeof updatedAt === 'string' &&
    typeof version === 'number';
  return isValid ? { id: parseUserId(pk), name, email, createdAt, updatedAt, version } : undefined;
}
