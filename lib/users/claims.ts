import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { TableName, table } from '../dynamodb/client.ts';
import type { ConditionFailure } from '../dynamodb/conditional-writes.ts';
import type { TransactItem } from '../dynamodb/transactions.ts';
import { valueTaken } from '../errors.ts';
import type { FieldValue, OwnField } from '../features/own-fields/declaration.ts';
import { parseEmail } from './email.ts';
import { findUser } from './get.ts';
import { type Claim, createClaim, createEmailClaim, hasClaim, listClaims } from './list-claims.ts';
import type { User } from './schema.ts';

const isSame = (one: Claim) => (other: Claim) => one.key.pk === other.key.pk;
const subtract = (claims: Claim[], others: Claim[]) => claims.filter((claim) => !others.some(isSame(claim)));

const storedClaim = z.object({ userId: z._default(z.string(), ''), version: z._default(z.number(), 0) });
export type StoredClaim = z.infer<typeof storedClaim>;
export const parseClaim = (item: unknown): StoredClaim => storedClaim.parse(item);

/** Reads the user whom a claim names. The user may have changed the value between the two reads. */
async function findOwner(claim: Claim): Promise<User | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: claim.key, ConsistentRead: true }));
  const user = Item && (await findUser(parseClaim(Item).userId));
  return user && hasClaim(user, claim.key) ? user : undefined;
}

/** Case-insensitive. Undefined for an invalid address, and for one that no user has. */
export async function findUserByEmail(address: string): Promise<User | undefined> {
  const email = parseEmail(address);
  return email === undefined ? undefined : findOwner(createEmailClaim(email));
}

/** Finds a user by the value of a unique field. Undefined for a value that nobody has. */
export async function findUserByField(field: OwnField, value: FieldValue): Promise<User | undefined> {
  // A text with a pattern is stored as it was sent.
  const isTrimmed = typeof value === 'string' && field.pattern === undefined;
  const claim = createClaim(field, isTrimmed ? value.trim() : value);
  return claim && findOwner(claim);
}

type Failures = Partial<Record<string, ConditionFailure>>;

/** A write remembers here, while it is repeated, which claims are stale and which it must not release. */
export class ClaimChanges {
  readonly #stale = new Map<string, StoredClaim>();
  readonly #foreign = new Set<string>();

  /** The items that make the claims of a user those of the next version. Undefined is no user. */
  createItems(user: User | undefined, next: User | undefined): Record<string, TransactItem> {
    const { released, claimed } = this.#compare(user, next);
    return Object.fromEntries([
      ...released.map((claim) => [releaseName(claim), releaseClaim(claim, user)]),
      ...claimed.map((claim) => [claimName(claim), putClaim(claim, next, this.#stale.get(claim.key.pk))]),
    ]);
  }

  /**
   * Learns from failed conditions; returns whether the items may succeed once they are made again. A claim stays behind, or is
   * missing, after writes of a service for which the field was not unique, and after a restore. Throws CONFLICT for a
   * value that another user has.
   */
  async resolve(failures: Failures, user: User | undefined, next: User | undefined): Promise<boolean> {
    const { released, claimed } = this.#compare(user, next);
    const foreign = released.filter((claim) => failures[releaseName(claim)]);
    for (const { key } of foreign) this.#foreign.add(key.pk);
    const failed = claimed.filter((claim) => failures[claimName(claim)]);
    for (const claim of failed) {
      const stored = parseClaim(failures[claimName(claim)]?.item);
      const owner = await findUser(stored.userId);
      // The same user may have been given the value since it was read.
      const isTaken = owner && owner.id !== user?.id && hasClaim(owner, claim.key);
      if (isTaken) throw valueTaken(claim.field);
      this.#stale.set(claim.key.pk, stored);
    }
    return foreign.length + failed.length > 0;
  }

  #compare(user: User | undefined, next: User | undefined) {
    const [before, after] = [user ? listClaims(user) : [], next ? listClaims(next) : []];
    const released = subtract(before, after).filter(({ key }) => !this.#foreign.has(key.pk));
    return { released, claimed: subtract(after, before) };
  }
}

/** A transaction has its write under this name. */
export const claimName = ({ field }: Claim) => `claim ${field}`;
const releaseName = ({ field }: Claim) => `release ${field}`;

/**
 * The version of the user makes each claim another: one that was found to be stale is replaced only if nobody, not even the
 * same user, has claimed the value since.
 */
export const putClaim = (
  { key }: Claim,
  user: Pick<User, 'id' | 'version'> | undefined,
  stale?: StoredClaim,
): TransactItem => ({
  Put: {
    TableName,
    Item: { ...key, userId: user?.id, version: user?.version },
    ...(stale
      ? {
          ConditionExpression:
            'attribute_not_exists(pk) OR (userId = :userId AND (attribute_not_exists(version) OR version = :version))',
          ExpressionAttributeValues: { ':userId': stale.userId, ':version': stale.version },
        }
      : { ConditionExpression: 'attribute_not_exists(pk)' }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

/** A claim of another user, who came first, stays. */
const releaseClaim = ({ key: Key }: Claim, user: User | undefined): TransactItem => ({
  Delete: {
    TableName,
    Key,
    ConditionExpression: 'attribute_not_exists(pk) OR userId = :userId',
    ExpressionAttributeValues: { ':userId': user?.id },
  },
});
