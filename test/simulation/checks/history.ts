import type { Store } from '../database/store.ts';
import type { Clients } from '../workload/clients.ts';
import { checkChangeLog } from './change-log.ts';
import { checkList } from './lists.ts';
import { checkOrder } from './order.ts';
import { checkEntries } from './search-entries.ts';
import { checkMatches } from './search-matches.ts';
import { checkTable } from './table.ts';

/** All that is wrong with a history that has ended. */
export function checkHistory(store: Store, { operations, faults }: Clients): string[] {
  return [
    ...faults,
    ...checkOrder(operations, store.changes),
    ...operations.flatMap((operation) => [...checkList(store, operation), ...checkMatches(store, operation)]),
    ...checkTable(store),
    ...checkEntries(store),
    ...checkChangeLog(store),
  ];
}
