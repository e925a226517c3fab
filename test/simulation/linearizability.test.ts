import { describe, expect, test } from 'vitest';
import { findViolation, type Timed } from './checks/linearizability.ts';

type Call = Timed & { write?: number; read?: number };

/** A register that holds 0 at first. */
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
