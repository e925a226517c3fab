import { deleteItemIf } from '../../dynamodb/conditional-writes.ts';
import type { Item, Key } from '../../dynamodb/keys.ts';
import { mapParallel } from '../../parallel.ts';
import { isClaimKey, listPossibleClaims } from '../../users/list-claims.ts';
import { entryTraces } from '../search/traces.ts';
import type { Traced } from './record.ts';

/** Items that may name a deleted person. */
export type Traces = {
  /** Returns where they may stand after a version of the user, under any declaration of own fields. */
  listKeys(version: Traced): Key[];
  /** Tells whether what stands there is one of them: it may be of another user now. */
  isOf(item: Item & Key, id: string): boolean;
  remove(keys: Key[], id: string): Promise<unknown>;
};

const claimTraces: Traces = {
  listKeys: (version) => listPossibleClaims(version).map(({ key }) => key),
  isOf: (item, id) => isClaimKey(item) && item.userId === id,
  remove: (keys, id) =>
    mapParallel(keys, async ({ pk, sk }) => {
      const condition = { ConditionExpression: 'userId = :id', ExpressionAttributeValues: { ':id': id } };
      await deleteItemIf({ Key: { pk, sk }, ...condition });
    }),
};

/** Features add to this list what they store of users outside of the change log. */
export const allTraces: readonly Traces[] = [claimTraces, entryTraces];
