import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { getItems } from '../../dynamodb/batch.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { deletionKey, formatKey, type Item, userKey } from '../../dynamodb/keys.ts';
import type { TransactItem } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import { type Deletion, type DeletionRecord, parseDeletion } from '../../users/deletion-record.ts';
import { type Claim, createClaim, createEmailClaim } from '../../users/derived.ts';
import { subjectField } from '../../users/fields/values.ts';
import type { User } from '../../users/user.ts';
import { findEntrySeconds } from '../change-log/order-log.ts';
import { formerRecordKey } from './keys.ts';

// A former record names a deleted user under a hash of the subject, and under a hash of the address. An erasure finds
// the earlier records of the person by it.

type Person = Pick<User, 'id' | 'email' | 'own'>;

/** Undefined without a subject. */
export const createSubjectClaim = ({ own }: Pick<User, 'own'>): Claim | undefined =>
  subjectField && createClaim(subjectField, own[subjectField.name]);

export const isSubjectClaim = ({ claimOf }: Claim): boolean => claimOf === subjectField?.name;

export const listFormerClaims = (user: User | undefined): Claim[] =>
  user ? [createSubjectClaim(user) ?? [], createEmailClaim(user.email)].flat() : [];

/** Stream records, which histories are made of, may be a day late. */
const MAX_DELAY_SECONDS = 24 * 3600;

/** Creates items that name a deleted user as long as the history lasts. */
export function createFormerRecords(user: User): Record<'formerSubject' | 'formerAddress', TransactItem | undefined> {
  const expiresAt = Math.ceil(environment.now() / 1000) + findEntrySeconds() + MAX_DELAY_SECONDS;
  const createItem = (claim: Claim | undefined): TransactItem | undefined =>
    claim && environment.keepsChangeLog
      ? { Put: { TableName, Item: { ...formerRecordKey(claim.key, user.id), version: user.version + 1, expiresAt } } }
      : undefined;
  return {
    formerSubject: createItem(createSubjectClaim(user)),
    formerAddress: createItem(createEmailClaim(user.email)),
  };
}

/** An erased user needs none: the erasure covers the whole history. */
export const formerRecords = ({ user, erasure }: Deletion): TransactItem[] =>
  erasure ? [] : Object.values(createFormerRecords(user)).filter((item) => item !== undefined);

export type FormerUser = Pick<DeletionRecord, 'erasure'> & { id: string };

/** Lists deleted users with this claim, except `id`. Skips users who have come back since. */
export async function findFormerUsers(claim: Claim | undefined, id: string): Promise<FormerUser[]> {
  if (!claim) return [];
  const versions = new Map<string, unknown>();
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': formerRecordKey(claim.key).pk },
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client: table }, query))
    for (const { sk, version } of Items) if (sk !== id) versions.set(sk, version);
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

/** Lists deleted users with the same subject while their histories are kept. */
export async function findEarlierRecords(person: Person): Promise<string[]> {
  const former = await findFormerUsers(createSubjectClaim(person), person.id);
  return former.filter(({ erasure }) => !erasure).map(({ id }) => id);
}
