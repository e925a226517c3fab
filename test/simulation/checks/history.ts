import type { Store } from '../database/store.ts';
import type { Operation } from '../workload/calls.ts';
import type { Clients } from '../workload/clients.ts';
import { checkChangeLog } from './change-log.ts';
import { findViolation } from './linearizability.ts';
import { checkList } from './lists.ts';
import { apply } from './model.ts';
import { checkEntries, checkMatches } from './search.ts';
import { EMPTY } from './state.ts';
import { checkTable } from './table.ts';

/** All that is wrong with a history that has ended. */
export function checkHistory(store: Store, { operations, faults }: Clients): string[] {
  return [
    ...faults,
    ...checkOrder(operations, createdBy(store.changes)),
    ...operations.flatMap((operation) => [...checkList(store, operation), ...checkMatches(store, operation)]),
    ...checkTable(store),
    ...checkEntries(store),
    ...checkChangeLog(store),
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

function checkOrder(operations: Operation[], created: Map<string, string>): string[] {
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
