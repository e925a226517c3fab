import type * as z from 'zod/mini';

/** Longest cursor. The longest valid one holds a field name, a text of 64 characters and an id. */
const MAX_LENGTH = 500;

export const encodeCursor = (content: string): string => Buffer.from(content).toString('base64url');

/** Undefined unless the cursor round-trips. */
export function decodeCursor(cursor: string): string | undefined {
  if (cursor.length > MAX_LENGTH) return undefined;
  const content = Buffer.from(cursor, 'base64url').toString();
  return encodeCursor(content) === cursor ? content : undefined;
}

export function decodeJsonCursor<Content>(cursor: string, schema: z.ZodMiniType<Content>): Content | undefined {
  try {
    return schema.safeParse(JSON.parse(decodeCursor(cursor) ?? '')).data;
  } catch {
    return undefined;
  }
}
