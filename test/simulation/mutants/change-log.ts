import type { Mutants } from './mutants.ts';

const APPEND = 'lib/change-log/append.ts';
const SUBSCRIPTIONS = 'lib/graphql/schema/subscriptions.ts';
const BATCH = 'lib/on-change/append-batch.ts';

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
    file: 'lib/on-change/failed-records.ts',
    find: 'for (const record of records) this.#failed.add(record);',
    replace: '',
  },
  'delivery goes on after the last that failed': {
    file: 'lib/on-change/failed-records.ts',
    find: 'records.findIndex((record)',
    replace: 'records.findLastIndex((record)',
  },
  'a change log is kept for an hour': {
    file: APPEND,
    find: '+ RETENTION_SECONDS + MARGIN_SECONDS',
    replace: '+ MARGIN_SECONDS',
  },
  'events have the wrong name and address': {
    file: SUBSCRIPTIONS,
    find: 'user: item && parseUser(item) }',
    replace: "user: item && { ...parseUser(item), name: 'Nobody', email: 'nobody@example.org' } }",
  },
  'events have the wrong time': {
    file: SUBSCRIPTIONS,
    find: '({ ...change, post: item && parsePost(item) })',
    replace: '({ ...change, at: new Date(0).toISOString(), post: item && parsePost(item) })',
  },
  'from now on begins with the last change': {
    file: SUBSCRIPTIONS,
    find: 'parseUser(item).version > version',
    replace: 'parseUser(item).version >= version',
  },
  'from now on ends with the deletion left out': {
    file: SUBSCRIPTIONS,
    find: 'item === null || parseUser',
    replace: 'item !== null && parseUser',
  },
  'a cursor skips the rest of its entry': {
    file: 'lib/change-log/read.ts',
    find: '{ watermark: last, offset: index + 1 }',
    replace: '{ watermark: sk, offset: 0 }',
  },
  'a cursor repeats its change': {
    file: 'lib/change-log/read.ts',
    find: '{ watermark: last, offset: index + 1 }',
    replace: '{ watermark: last, offset: index }',
  },
  'a deletion is told as an update': {
    file: 'lib/on-change/stream-record.ts',
    find: "REMOVE: 'DELETED'",
    replace: "REMOVE: 'UPDATED'",
  },
};
