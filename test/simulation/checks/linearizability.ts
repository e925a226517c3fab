/**
 * Whether there is an order of the operations, each at one moment between its call and its answer, in which a model
 * gives the same answers: J. Wing and C. Gong, "Testing and Verifying Concurrent Objects" (1993), with the cache of
 * G. Lowe, "Testing for Linearizability" (2017), as in https://github.com/anishathalye/porcupine.
 * An operation without an answer may be at any later moment; one that was never done is after all others.
 */
export type Timed = { sent: number; answered: number };

/** Undefined where there is such an order; else the operations that fit the longest one, in order. */
export function findViolation<Operation extends Timed, State>(
  operations: Operation[],
  initial: State,
  apply: (state: State, operation: Operation) => State | undefined,
): Operation[] | undefined {
  const sorted = [...operations].sort((left, right) => left.sent - right.sent);
  const tried = new Set<string>();
  const order: Operation[] = [];
  let longest: Operation[] = [];

  const search = (state: State, left: Operation[]): boolean => {
    if (left.every(({ answered }) => answered === Number.POSITIVE_INFINITY)) return true;
    const key = `${left.map(({ sent }) => sent).join(' ')} ${JSON.stringify(state)}`;
    if (tried.has(key)) return false;
    tried.add(key);
    // What was sent after another was answered comes after it.
    const firstAnswer = Math.min(...left.map(({ answered }) => answered));
    for (const [at, operation] of left.entries()) {
      if (operation.sent > firstAnswer) break;
      const next = apply(state, operation);
      if (next === undefined) continue;
      order.push(operation);
      if (order.length > longest.length) longest = [...order];
      if (search(next, left.toSpliced(at, 1))) return true;
      order.pop();
    }
    return false;
  };
  return search(initial, sorted) ? undefined : longest;
}
