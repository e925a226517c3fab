import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkSubscription } from './actors/subscriber.ts';
import type { Claims } from './checks/claims.ts';
import { findViolation, type Timed } from './checks/linearizability.ts';
import { describeDifferences, EMPTY } from './checks/model.ts';
import { type Item, Store } from './database/store.ts';
import { Clock } from './environment/world.ts';
import { findMutant, mutantNames } from './mutants/mutants.ts';
import { run } from './run.ts';
import { formatClaim } from './workload/calls.ts';

const options = { workers: 1, shrinks: true };

test('a seed gives the same history after any other', async () => {
  const [first, second] = [await run({ ...options, histories: 14 }), await run({ ...options, seed: 8, histories: 7 })];
  expect(first.hashes).toHaveLength(14);
  expect(second.hashes).toEqual(first.hashes.slice(7));
});

test('a failing history shrinks to one that fails and replays exactly', async () => {
  const broken = { ...options, mutant: 'a change of address keeps the old claim', seed: 2, histories: 40 };
  const {
    failures: [failure],
  } = await run(broken);
  expect(failure?.problems).toContainEqual(expect.stringMatching(/the claim of \w+ \S+ is \S+, not undefined/));
  const again = await run({
    ...broken,
    seed: failure?.seed ?? 0,
    histories: 1,
    excluded: failure?.excluded ?? [],
    shrinks: false,
  });
  expect(again.failures[0]).toEqual(failure);
});

test('a history that never ends fails', async () => {
  const clock = new Clock(0);
  const repeat = async () => {
    for (;;) await clock.sleep(1);
  };
  await expect(clock.runUntil(repeat())).rejects.toThrow('The history never ends');
});

test('the table may only lack claims of values that their users no longer have', () => {
  const ada = { name: 'Ada', email: 'ada@example.org', fields: {}, version: 1, createdAt: '', updatedAt: '' };
  const emailClaim = formatClaim('email', ada.email);
  const users = { ada };
  const state = { ...EMPTY, users, claims: { [emailClaim]: 'ada', [formatClaim('nickname', 'Ace')]: 'ada' } };
  const compare = (claims: Claims) => describeDifferences(state, { table: { ...EMPTY, users, claims }, time: 0 });
  expect(compare(state.claims)).toEqual([]);
  expect(compare({ [emailClaim]: 'ada' })).toEqual([]);
  expect(compare({})).toEqual([`the claim of ${emailClaim} is undefined, not "ada"`]);
});

test('a subscriber may only miss creations and updates from before the request of an erasure', () => {
  const store = new Store();
  const commit = (pk: string, sk: string, item: Item | undefined) =>
    store.commit([{ key: { pk, sk }, item }], 10_000, '');
  const findMissed = (topic: 'users' | 'posts') =>
    checkSubscription(
      store.changes,
      { from: 'time', asked: { time: 0, commit: 0 }, opened: { time: 0, commit: 0 }, seen: [] },
      { topic, id: undefined, namesActor: () => true },
    ).map((problem) => /missed (\w+) .* of (\w+)$/.exec(problem)?.slice(1).join(' '));
  for (const id of ['ada', 'bea']) {
    commit(`USER#${id}`, 'USER', { name: { S: id } });
    commit(`USER#${id}`, 'POST#1', { title: { S: 'Hello' } });
    commit(`USER#${id}`, 'USER', undefined);
    commit(`USER#${id}`, 'POST#1', undefined);
  }
  const missedOfBea = ['CREATED bea', 'DELETED bea'];
  expect(findMissed('users')).toEqual(['CREATED ada', 'DELETED ada', ...missedOfBea]);
  commit('ERASURES', 'PENDING#ada', { requestedAt: { S: '' } });
  expect(findMissed('users')).toEqual(['DELETED ada', ...missedOfBea]);
  expect(findMissed('posts')).toEqual(['DELETED ada', ...missedOfBea]);
  commit('ERASURES', 'PENDING#ada', undefined);
  commit('USER#ada', 'USER', { name: { S: 'Ada returned' } });
  expect(findMissed('users')).toEqual(['DELETED ada', 'CREATED ada', ...missedOfBea]);
});

test.each(mutantNames)('the mutant "%s" changes one place in its source', (name) => {
  const { file, find, replace } = findMutant(name);
  expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
  expect(replace).not.toBe(find);
});

type Call = Timed & { write?: number; read?: number };

/** Model of one number, which is 0 at first. */
const apply = (state: number, { write, read }: Call) => write ?? (read === state ? state : undefined);

const check = (...calls: [sent: number, answered: number, call: Omit<Call, keyof Timed>][]) =>
  findViolation(
    calls.map(([sent, answered, call]) => ({ sent, answered, ...call })),
    0,
    apply,
  );

const NEVER = Number.POSITIVE_INFINITY;

describe('a history of a register', () => {
  test('is linearizable if each read returns the last write', () => {
    expect(check([0, 1, { write: 1 }], [2, 3, { read: 1 }])).toBeUndefined();
  });

  test('is linearizable if a concurrent read returns the value before or after', () => {
    expect(check([0, 5, { write: 1 }], [1, 2, { read: 0 }], [3, 4, { read: 1 }])).toBeUndefined();
  });

  test('is not linearizable if a read returns the old value after another returned the new one', () => {
    expect(check([0, 5, { write: 1 }], [1, 2, { read: 1 }], [3, 4, { read: 0 }])).toBeDefined();
  });

  test('is not linearizable if a read misses an acknowledged write', () => {
    expect(check([0, 1, { write: 1 }], [2, 3, { read: 0 }])).toMatchObject({ fitting: { length: 1 } });
  });

  test('is linearizable if a write without an answer takes effect late, or never', () => {
    expect(check([0, NEVER, { write: 1 }], [1, 2, { read: 0 }], [3, 4, { read: 1 }])).toBeUndefined();
    expect(check([0, NEVER, { write: 1 }], [1, 2, { read: 0 }], [3, 4, { read: 0 }])).toBeUndefined();
  });

  test('is not linearizable if a write without an answer takes effect twice', () => {
    const calls = check([0, NEVER, { write: 1 }], [1, 2, { read: 1 }], [3, 4, { write: 2 }], [5, 6, { read: 1 }]);
    expect(calls?.fitting).toHaveLength(3);
  });
});
