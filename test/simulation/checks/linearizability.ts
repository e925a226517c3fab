import { isByHand, latest, readFields, type Store } from '../database/store.ts';
import { isList, type Operation } from '../workload/calls.ts';
import { createFindGone, findRemovals } from './groups.ts';
import { apply, describeDifferences, EMPTY, type State, type Written } from './model.ts';

export type Timed = { sent: number; answered: number };

/** `fitting`: the longest order of operations that the model allows. `state`: the state of the model after them. */
export type Violation<Operation, State> = { fitting: Operation[]; state: State };

/**
 * Searches for an order of the operations in which a model gives the same answers. Returns undefined if such an order
 * exists. J. Wing and C. Gong, "Testing and Verifying Concurrent Objects" (1993), with the cache of G. Lowe, "Testing
 * for Linearizability" (2017), as in https://github.com/anishathalye/porcupine.
 */
export function findViolation<Operation extends Timed, State>(
  operations: Operation[],
  initial: State,
  apply: (state: State, operation: Operation) => State | undefined,
): Violation<Operation, State> | undefined {
  const sorted = [...operations].sort((left, right) => left.sent - right.sent);
  const tried = new Set<string>();
  const order: Operation[] = [];
  let longest: Violation<Operation, State> = { fitting: [], state: initial };

  const search = (state: State, left: Operation[]): boolean => {
    if (left.every(({ answered }) => answered === Number.POSITIVE_INFINITY)) return true;
    const key = `${left.map(({ sent }) => sent).join(' ')} ${JSON.stringify(state)}`;
    if (tried.has(key)) return false;
    tried.add(key);
    const firstAnswer = Math.min(...left.map(({ answered }) => answered));
    for (const [at, operation] of left.entries()) {
      if (operation.sent > firstAnswer) break;
      const next = apply(state, operation);
      if (next === undefined) continue;
      order.push(operation);
      if (order.length > longest.fitting.length) longest = { fitting: [...order], state: next };
      if (search(next, left.toSpliced(at, 1))) return true;
      order.pop();
    }
    return false;
  };
  return search(initial, sorted) ? undefined : longest;
}

/** Checks that all calls except lists have a sequential order with the same answers and the same table at `time`. */
export function checkOrder(
  operations: Operation[],
  { store, time, consumed }: { store: Store; time: number; consumed: Map<number, number> },
): string[] {
  const written = findWritten(store);
  const seenAt = new Map(
    store.changes.filter(isByHand).map(({ by, position }) => [readOperation(by), consumed.get(position) ?? time]),
  );
  const findGone = createFindGone(store);
  const calls = operations
    .filter(({ call }) => !isList(call))
    .map((operation) => ({
      ...operation,
      written: written.get(operation.id),
      mayBeErased: operations.some(({ call }) => call.kind === 'delete' && call.erase),
      seenAt: seenAt.get(operation.id),
      gone: findGone(operation.times),
      answered: operation.outcome.code === 'UNKNOWN' ? Number.POSITIVE_INFINITY : operation.answered,
    }));
  const end = Math.max(0, ...operations.map(({ answered }) => answered)) + 1;
  const read = { id: 'table', sent: end, answered: end, table: readTable(store, time), time };
  const violation = findViolation([...calls, ...findRemovals(store, operations), read], EMPTY, apply);
  if (!violation) return [];
  const { fitting, state } = violation;
  const ids = new Set(fitting.map(({ id }) => id));
  const rest = calls.filter((call) => !ids.has(call.id) && call.outcome.code !== 'UNKNOWN');
  if (rest.length === 0) return describeDifferences(state, read).map((difference) => `in the table, ${difference}`);
  return [
    `not linearizable: after ${fitting.map(({ id }) => id).join(', ')} none of ${rest.map(({ id }) => id).join(', ')} fits`,
  ];
}

/** Finds the user, post or group that each invocation wrote. */
function findWritten(store: Store): Map<string, Written> {
  const found = new Map<string, Written>();
  for (const { pk, sk, by, commit, before, after } of store.changes) {
    const isUserOrPost = pk.startsWith('USER#') && /^(USER$|POST#)/.test(sk);
    if (!after || !(isUserOrPost || sk === 'GROUP')) continue;
    const [id, updatedAt] = [readId(pk, sk), after.updatedAt?.S ?? ''];
    found.set(readOperation(by), {
      id,
      createdAt: after.createdAt?.S ?? '',
      updatedAt,
      publishedAt: after.publishedAt?.S ?? null,
      posts: sk === 'USER' && !before ? listPosts(store, pk, commit) : [],
      users: {
        ...found.get(readOperation(by))?.users,
        [id]: { updatedAt, groups: String(readFields(after).groups ?? '') },
      },
    });
  }
  return found;
}

const readOperation = (by: string) => by.slice(0, by.lastIndexOf('/'));

const listPosts = (store: Store, author: string, commit: number): string[] =>
  [...store.partition(author)].flatMap(({ pk, sk, versions }) =>
    sk.startsWith('POST#') && versions.findLast((version) => version.commit <= commit)?.item ? [readId(pk, sk)] : [],
  );

const readId = (pk: string, sk: string) => {
  if (sk === 'GROUP') return pk.slice('GROUP#'.length);
  const id = pk.slice('USER#'.length);
  return sk === 'USER' ? id : `${id}.${sk.slice('POST#'.length)}`;
};

/** Reads the table as a state of the model. Ignores idempotency records that have expired at `time`. */
export function readTable(store: Store, time = Number.POSITIVE_INFINITY): State {
  const table: State = structuredClone(EMPTY);
  for (const stored of store.all()) {
    const item = latest(stored);
    if (!item) continue;
    const text = (name: string) => item[name]?.S ?? '';
    const version = Number(item.version?.N);
    const id = readId(stored.pk, stored.sk);
    if (stored.sk === 'USER') {
      const times = { createdAt: text('createdAt'), updatedAt: text('updatedAt') };
      table.users[id] = { name: text('name'), email: text('email'), fields: readFields(item), ...times, version };
    } else if (stored.sk.startsWith('POST#')) {
      const authorId = stored.pk.slice('USER#'.length);
      table.posts[id] = { authorId, title: text('title'), publishedAt: item.publishedAt?.S ?? null, version };
    } else if (stored.sk === 'GROUP' && !item.deletedAt) {
      const times = { createdAt: text('createdAt'), updatedAt: text('updatedAt') };
      table.groups[id] = { name: text('name'), externalId: item.externalId?.S ?? null, ...times, version };
    } else if (stored.sk === 'EMAIL') table.claims[stored.pk.replace('EMAIL#', 'email ')] = text('userId');
    else if (stored.sk === 'UNIQUE') {
      const [, field = '', ...value] = stored.pk.split('#');
      table.claims[`${field} ${value.join('#')}`] = text('userId');
    } else if (stored.sk === 'REQUEST' && Number(item.expiresAt?.N) * 1000 > time)
      table.keys[stored.pk] = { input: '', id: text('id'), createdAt: text('createdAt'), sent: 0 };
  }
  return table;
}
