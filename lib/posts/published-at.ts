/** DateTime, and what most clients read times with, know no years of five digits or before 0. */
export const hasFourDigitYear = (iso: string): boolean => /^\d{4}-/.test(iso);

/** Reads what is stored. A time that cannot be shown counts as none, so that the post can be read, and published again. */
export function parsePublishedAt(stored: unknown, postId: string): string | null {
  if (stored === undefined || stored === null) return null;
  const time = typeof stored === 'string' ? new Date(stored) : undefined;
  const iso = time && !Number.isNaN(time.getTime()) ? time.toISOString() : '';
  if (hasFourDigitYear(iso)) return iso;
  logOnce(postId);
  return null;
}

const logged = new Set<string>();
const MAX_LOGGED = 1_000;

/** A list that is read often has the same post each time. */
function logOnce(postId: string): void {
  if (logged.has(postId)) return;
  if (logged.size >= MAX_LOGGED) logged.clear();
  logged.add(postId);
  console.warn({ event: 'unreadable publishedAt', postId });
}
