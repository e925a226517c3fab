import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { getItems } from '../../dynamodb/batch.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { deletionKey, formatKey, type Item, type Key, userKey } from '../../dynamodb/keys.ts';
import type { TransactItem } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import { type Deletion, type DeletionRecord, parseDeletion } from '../../users/deletion-record.ts';
import { type Claim, createEmailClaim, createSubjectClaims } from '../../users/derived.ts';
import { subjectField } from '../../users/fields/values.ts';
import type { User } from '../../users/user.ts';
import { findEntrySeconds } from '../change-log/order-log.ts';
import { formerRecordKey } from './keys.ts';

// A former record names a deleted user under a hash of each subject, of the address, and of the id that the user was
// merged into. An erasure finds the earlier records of the person by it.

type Person = Pick<User, 'id' | 'email' | 'own'>;

export const isSubjectClaim = ({ claimOf }: Claim): boolean => claimOf === subjectField?.name;

export const listFormerClaims = (user: User | undefined): Claim[] =>
  user ? [...createSubjectClaims(user), createEmailClaim(user.email)] : [];

/** Users who were merged into `id` have a former record under this claim, which no user holds. */
export const mergeClaim = (id: string): Claim => ({ claimOf: 'merge', key: { pk: `MERGED#${id}`, sk: 'MERGED' } });

/** Claims under which the former records are of the same person. */
export const listPersonClaims = (person: Pick<User, 'id' | 'own'>): Claim[] => [
  ...createSubjectClaims(person),
  mergeClaim(person.id),
];

/** Stream records, which histories are made of, may be a day late. */
const MAX_DELAY_SECONDS = 24 * 3600;

/** Creates items that name a deleted user as long as the history lasts. */
export function createFormerRecords(user: User, mergedInto?: User): TransactItem[] {
  if (!environment.keepsChangeLog) return [];
  const expiresAt = Math.ceil(environment.now() / 1000) + findEntrySeconds() + MAX_DELAY_SECONDS;
  const claims = [...listFormerClaims(user), ...(mergedInto ? [mergeClaim(mergedInto.id)] : [])];
  return claims.map(({ key }) => ({
    Put: { TableName, Item: { ...formerRecordKey(key, user.id), version: user.version + 1, expiresAt } },
  }));
}

/** An erased user needs none: the erasure covers the whole history. */
export const formerRecords = ({ user, erasure, mergedInto }: Deletion): TransactItem[] =>
  erasure ? [] : createFormerRecords(user, mergedInto);

export type FormerUser = Pick<DeletionRecord, 'erasure'> & { id: string };

/** Lists deleted users who had any of these claims, except `id`. Skips users who have come back since. */
export async function findFormerUsers(claims: readonly Claim[], id: string): Promise<FormerUser[]> {
  const versions = new Map<string, unknown>();
  // A user may have been deleted several times, with other logins each time.
  for (const { key } of claims)
    for await (const { sk, version } of readFormerRecords(key))
      if (sk !== id) versions.set(sk, Math.max(Number(version), Number(versions.get(sk) ?? 0)));
  const ids = [...versions.keys()];
  const keys = ids.flatMap((each) => [userKey(each), deletionKey(userKey(each))]);
  const items = new Map(
    (await getItems(keys, { ConsistentRead: true })).map((item) => [formatKey(item), item as Item]),
  );
  return ids.flatMap((each) => {
    const deletion = items.get(formatKey(deletionKey(userKey(each))));
    const isGone = deletion?.version === versions.get(each) && !items.has(formatKey(userKey(each)));
    return deletion && isGone ? [{ id: each, erasure: parseDeletion(deletion).erasure }] : [];
  });
}

async function* readFormerRecords(claim: Key): AsyncGenerator<Key & { version?: unknown }> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': formerRecordKey(claim).pk },
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) yield* Items as Key[]; // All items have a key.
}

/** Lists deleted users with a same subject, and merged ones, while their histories are kept. */
export async function findEarlierRecords(person: Person): Promise<string[]> {
  const former = await findFormerUsers(listPersonClaims(person), person.id);
  return former.filter(({ erasure }) => !erasure).map(({ id }) => id);
}
