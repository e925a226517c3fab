import type { Actor } from '../auth/caller.ts';
import { TableName } from '../dynamodb/client.ts';
import { deletionKey, type Item, userKey } from '../dynamodb/keys.ts';
import type { TransactItem } from '../dynamodb/transact.ts';
import { timestamp } from '../environment.ts';
import type { Deletion } from './delete.ts';
import type { NewVersion } from './user.ts';

/**
 * What the table remembers of a deleted user: the version that the deletion made, and whether the person was erased. It
 * outlives the user, so that a user who comes back continues with a higher version. An erasure sets `expiresAt`.
 */
export type DeletionRecord = {
  version: number;
  /** Null if a user was deleted by hand. */
  by: Actor | null;
  at: string;
  erasure?: 'pending' | 'completed' | undefined;
};

/** The transaction that deletes a user puts the record. The deletion counts as a version. */
export const deletionRecord = ({ user, by, erases }: Deletion): TransactItem[] => [
  {
    Put: {
      TableName,
      Item: {
        ...deletionKey(userKey(user.id)),
        ...{ by, at: timestamp(), version: user.version + 1 },
        ...(erases ? { erasure: 'pending' } : {}),
      },
    },
  },
];

/** Parses without zod, as all of `on-change` does. */
export function parseDeletion({ by, at, version, erasure }: Item): DeletionRecord {
  return {
    version: typeof version === 'number' ? version : 0,
    by: typeof by === 'string' ? (by as Actor) : null, // Only formatted callers are stored.
    at: typeof at === 'string' ? at : '',
    ...(erasure === 'pending' || erasure === 'completed' ? { erasure } : {}),
  };
}

/**
 * Gives a user who comes back a version after that of the deletion, higher than any that consumers have seen. This version is
 * new, and so is its time.
 */
export function continueVersion(user: NewVersion, deletedVersion = 0): NewVersion {
  if (user.version > deletedVersion) return user;
  return { ...user, version: deletedVersion + 1, updatedAt: timestamp() };
}

/**
 * An item of the transaction that writes a user under a former id. It requires that the record is as read. A caller who
 * overrules an erasure writes the user all the same: then the item removes the erasure from the record.
 */
export function deletionRecordCheck(id: string, record: DeletionRecord | undefined): TransactItem {
  const expected = [
    ['version', record?.version || undefined],
    ['erasure', record?.erasure],
  ] as const;
  const stored = expected.filter(([, value]) => value !== undefined);
  const conditions = expected.map(([name, value]) =>
    value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}`,
  );
  const input = {
    TableName,
    Key: deletionKey(userKey(id)),
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(expected.map(([name]) => [`#${name}`, name])),
    ...(stored.length > 0
      ? { ExpressionAttributeValues: Object.fromEntries(stored.map(([name, value]) => [`:${name}`, value])) }
      : {}),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
  return record?.erasure
    ? { Update: { ...input, UpdateExpression: 'REMOVE #erasure, expiresAt' } }
    : { ConditionCheck: input };
}
