/** Counts replies by status: `{ 200: 1, 412: 49 }`. */
export function tally(replies: { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
