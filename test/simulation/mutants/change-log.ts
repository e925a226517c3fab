import type { Mutants } from './mutants.ts';

const APPEND = 'lib/change-log/append.ts';
const BATCH = 'lib/change-log/append-batch.ts';

/** The change log, and who reads it. */
export const changeLogMutants: Mutants = {
  'append before looking for duplicates': {
    file: APPEND,
    find: "Item: { ...userEntryKey(change), ...newEntry([change]) },\n    ConditionExpression: 'attribute_not_exists(pk)',",
    replace: 'Item: { ...userEntryKey(change), ...newEntry([change]) },',
  },
  'append whatever the head': {
    file: APPEND,
    find: "ConditionExpression: '#number = :previous',",
    replace: "ConditionExpression: '#number = :previous OR attribute_exists(pk)',",
  },
  'a change after one that failed': {
    file: BATCH,
    find: 'for (const { change } of due) failedUsers.add(change.userId);',
    replace: '',
  },
  'a failed record is given up': {
    file: 'lib/change-log/failed-records.ts',
    find: 'for (const record of records) this.#failed.add(record);',
    replace: '',
  },
  'delivery goes on after the last that failed': {
    file: 'lib/change-log/failed-records.ts',
    find: 'records.findIndex((record)',
    replace: 'records.findLastIndex((record)',
  },
};
