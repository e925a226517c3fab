import type * as z from 'zod/mini';

/** The longest holds the name of a field, a text of 64 characters and an id. Longer ones are not decoded. */
const MAX_LENGTH = 500;

/** A cursor is a text that clients take from one response to the next request. */
export const encodeCursor = (content: string): string => Buffer.from(content).toString('base64url');

/** Returns undefined for what `encodeCursor` returns for no content. */
export function decodeCursor(cursor: string): string | undefined {
  if (cursor.length > MAX_LENGTH) return undefined;
  const content = Buffer.from(cursor, 'base64url').toString();
  return encodeCursor(content) === cursor ? content : undefined;
}

/** Reads a cursor whose content is JSON. Returns undefined for one of another content. */
export function decodeJsonCursor<Content>(cursor: string, schema: z.ZodMiniType<Content>): Content | undefined {
  try {
    return schema.safeParse(JSON.parse(decodeCursor(cursor) ?? '')).data;
  } catch {
    return undefined;
  }
}
