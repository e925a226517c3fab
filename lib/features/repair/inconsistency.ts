import type { Item, Key } from '../../dynamodb/keys.ts';
import type { Claim } from '../../users/list-claims.ts';
import type { User } from '../../users/schema.ts';
import type { Fields } from './backfill-record.ts';

export type Stored = Item & Key;

/** A restore may contain only a part of a transaction, and a change of the own fields leaves claims and entries. */
export type Kind =
  | 'claim without user'
  | 'user without claim'
  | 'duplicate value'
  | 'post without author'
  | 'tombstone of a user who exists'
  | 'search entry that differs';

/** Two users have the same value of a unique field. The claim is that of the older one, `ownerId`. */
export type Duplicate = { field: string; userId: string; ownerId: string };

/** What a repair did. Of a duplicate, the older user has the claim then, and both keep the value. */
export type Repaired = { isWritten: boolean; duplicate?: Duplicate };

/** An item that is not as its user says. */
export type Inconsistency = {
  kind: Kind;
  key: Key;
  duplicate?: Duplicate;
  /**
   * Each write is conditional on what was found, so that concurrent writes are safe. What a user of later than `settledAt`,
   * in ms, may still be given by on-change is left to it.
   */
  repair(settledAt?: number): Promise<Repaired>;
};

/** The claims that a user has. */
export type ListClaims = (user: User) => Claim[];

/** Compares items that are stored with the users whom they depend on. */
export type ItemCheck = {
  kind: Kind;
  /** Returns the id of that user; undefined for an item that this check is not for. */
  findUserId(item: Stored): string | undefined;
  /** Tells whether an item is verified in turn, too: it takes a read of the user. Others are compared by check-table, and after changes. */
  isInTurn?(item: Stored): boolean;
  isSound(item: Stored, user: User | undefined, listClaims: ListClaims): boolean;
  repair(item: Stored, listClaims: ListClaims, settledAt?: number): Promise<Repaired>;
  /** Returns where items of a version of a user may be left; fields may be `former` ones, which others replaced. */
  listFormerKeys?(version: User, current: User | undefined, former: Fields): Key[];
};

/** An item that a user must have. */
export type Expected = {
  key: Key;
  isSound(stored: Stored | undefined): boolean;
  /** Tells what is wrong, given the user whom the stored item depends on. */
  describe(owner: User | undefined): Inconsistency;
};

/** Returns the items that a user must have. */
export type UserCheck = (user: User) => Expected[];
