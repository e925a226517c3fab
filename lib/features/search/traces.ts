import { deleteItems, distinctKeys } from '../../dynamodb/batches.ts';
import type { Traces } from '../erasure/traces.ts';
import { listKeys, listPossibleKeys } from './entries.ts';
import { isSearchKey } from './keys.ts';

/** Entries and their markers: a key holds a name, and the id. */
export const entryTraces: Traces = {
  listKeys: (version) => [...listKeys(version), ...listPossibleKeys(version)],
  isOf: isSearchKey,
  remove: (keys) => deleteItems(distinctKeys(keys)),
};
