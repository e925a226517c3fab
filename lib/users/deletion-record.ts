import type { Actor } from '../auth/caller.ts';
import { TableName } from '../dynamodb/client.ts';
import { deletionKey, type Item, userKey } from '../dynamodb/keys.ts';
import type { TransactItem } from '../dynamodb/transact.ts';
import { timestamp } from '../environment.ts';
import type { NewVersion, User } from './user.ts';

/** Ids of other deleted users with the subject or address of an erased person. */
export type RelatedUsers = {
  /** Have the same subject. The request also erases these users. */
  earlierRecords: string[];
  /** Have the same address only. */
  sameAddress: string[];
};

/** `erasure` is set if the person is erased. `mergedInto`: the other user of a merge, after it. */
export type Deletion = {
  user: User;
  by: Actor;
  erasure?: RelatedUsers | undefined;
  mergedInto?: User | undefined;
};

/**
 * Record of a deleted user. An import or restore under the same id continues with a higher version. An erasure sets
 * `expiresAt`.
 */
export type DeletionRecord = {
  /** The user's last version plus 1: the deletion counts as a version. */
  version: number;
  /** Null after a deletion by hand. */
  by: Actor | null;
  at: string;
  erasure?: 'pending' | 'completed' | undefined;
  /** Id of the user that this one was merged into. A return and an erasure remove it. */
  mergedInto?: string | undefined;
  /** Version of that user which the merge wrote. */
  mergedVersion?: number | undefined;
};

/** `deletion` is undefined if no user with this id was ever deleted. */
export type ReturningUser = { user: User; deletion: DeletionRecord | undefined };

export const deletionRecord = ({ user, by, erasure, mergedInto }: Deletion): TransactItem[] => [
  {
    Put: {
      TableName,
      Item: {
        ...deletionKey(userKey(user.id)),
        by,
        at: timestamp(),
        version: user.version + 1,
        ...(erasure ? { erasure: 'pending' } : {}),
        ...(mergedInto ? { mergedInto: mergedInto.id, mergedVersion: mergedInto.version } : {}),
      },
    },
  },
];

/** Avoids zod, to keep `on-change` small. */
export function parseDeletion({ by, at, version, erasure, mergedInto, mergedVersion }: Item): DeletionRecord {
  return {
    version: typeof version === 'number' ? version : 0,
    by: typeof by === 'string' ? (by as Actor) : null, // Only formatted callers are stored.
    at: typeof at === 'string' ? at : '',
    ...(erasure === 'pending' || erasure === 'completed' ? { erasure } : {}),
    ...(typeof mergedInto === 'string' ? { mergedInto, mergedVersion: Number(mergedVersion) } : {}),
  };
}

/**
 * Continues after the deleted user's version, because versions of an id must only increase for consumers of changes.
 */
export function continueVersion(user: NewVersion, deletedVersion = 0): NewVersion {
  if (user.version > deletedVersion) return user;
  return { ...user, version: deletedVersion + 1, updatedAt: timestamp() };
}

/**
 * Creates an item that fails unless the deletion record is still `record`. The caller has overruled an erasure or merge
 * in `record`: the item withdraws it.
 */
export function deletionRecordCheck(id: string, record: DeletionRecord | undefined): TransactItem {
  const { version, erasure, mergedInto } = record ?? {};
  const values = { ...(version ? { ':version': version } : {}), ...(erasure ? { ':erasure': erasure } : {}) };
  const check = {
    TableName,
    Key: deletionKey(userKey(id)),
    // `parseDeletion` returns version 0 for a record without a version.
    ConditionExpression: [
      version ? 'version = :version' : 'attribute_not_exists(version)',
      erasure ? 'erasure = :erasure' : 'attribute_not_exists(erasure)',
    ].join(' AND '),
    ...(version || erasure ? { ExpressionAttributeValues: values } : {}),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
  return erasure || mergedInto
    ? { Update: { ...check, UpdateExpression: 'REMOVE erasure, expiresAt, mergedInto, mergedVersion' } }
    : { ConditionCheck: check };
}
