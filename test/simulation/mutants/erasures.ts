import type { Mutants } from './mutants.ts';

const JOB = 'lib/users/erasure/job.ts';

export const erasureMutants: Mutants = {
  'an erasure leaves what the log tells': {
    file: JOB,
    find: 'for (const topic of [userTopic(id), postsTopic(id)]) await eraseLog(topic);',
    replace: 'for (const topic of [postsTopic(id)]) await eraseLog(topic);',
  },
  'an erasure leaves what the log of posts tells': {
    file: JOB,
    find: '[userTopic(id), postsTopic(id)]',
    replace: '[userTopic(id)]',
  },
  'an erasure leaves names in the search': {
    file: JOB,
    find: 'await deleteItems(distinctKeys(versions.flatMap(listKeys)));',
    replace: '',
  },
  'an erasure that is completed stays in the queue': {
    file: JOB,
    find: 'pending: { Delete: { TableName, Key: pendingErasureKey(id) } },',
    replace: '',
  },
  'late records of an erased user are searched': {
    file: 'lib/on-change/stream-batch.ts',
    find: 'isErased(record) ? deleteEntries(write) : updateEntries(write)',
    replace: 'updateEntries(write)',
  },
  'an erasure is requested after the user was deleted': {
    file: 'lib/users/delete.ts',
    find: '...createItems(),',
    replace: '...(createItems() && {}),',
  },
};
