import type { Store } from '../database/store.ts';
import type { Operation } from '../workload/calls.ts';
import { findViolation } from './linearizability.ts';
import { apply } from './model.ts';
import { EMPTY } from './state.ts';

/** What is wrong with the order of the calls: without lists and searches, one after the other they could have the same answers. */
export function checkOrder(operations: Operation[], changes: Store['changes']): string[] {
  const created = createdBy(changes);
  const timed = operations
    .filter(({ call }) => call.kind !== 'list' && call.kind !== 'search')
    .map((operation) => ({
      ...operation,
      created: created.get(operation.id),
      answered: operation.outcome.code === 'UNKNOWN' ? Number.POSITIVE_INFINITY : operation.answered,
    }));
  const fitting = findViolation(timed, EMPTY, apply);
  if (!fitting) return [];
  const rest = timed.filter((operation) => !fitting.includes(operation) && operation.outcome.code !== 'UNKNOWN');
  return [
    `not linearizable: after ${fitting.map(({ id }) => id).join(', ')} none of ${rest.map(({ id }) => id).join(', ')} fits`,
  ];
}

/** The user or post that each invocation created, for calls without an answer. */
const createdBy = (changes: Store['changes']) =>
  new Map(
    changes.flatMap(({ pk, sk, by, before }) => {
      if (before || !pk.startsWith('USER#')) return [];
      const id = pk.slice('USER#'.length);
      return [[by.slice(0, by.lastIndexOf('/')), sk === 'USER' ? id : `${id}.${sk.slice('POST#'.length)}`]];
    }),
  );
