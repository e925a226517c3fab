import type { Actor } from '../auth/caller.ts';
import type { TransactItem } from '../dynamodb/transact.ts';
import { returnCompanions } from './companions.ts';
import { continueVersion, type DeletionRecord } from './deletion-record.ts';
import type { NewVersion, User } from './user.ts';
import { type Change, type WriteOutcome, writeUsers } from './write.ts';

/** A user who comes back under a former id. `deletion` is undefined if no user with this id was deleted. */
export type Return = { user: User; deletion: DeletionRecord | undefined };

/** A user to write under an id that may have been used before. */
export type FormerUser = {
  /** Returns the user, who has a new time in each attempt. */
  create(): NewVersion;
  by: Actor;
  /** Writes the user although the person was erased, and withdraws an erasure that is not completed. */
  isDespiteErasure?: boolean;
};

export type ReturnOutcome =
  | ({ kind: 'written' } & Return)
  /** The person was erased, or is being erased. */
  | { kind: 'erased' }
  /** `owner` has the id, the email address or the value of the unique field named by `field`. */
  | { kind: 'taken'; field: string; owner: User };

/**
 * Writes users under ids that may have been used before: imports and restores. Versions continue after the last deletion.
 * The first attempt assumes that nobody was deleted, so new ids cost no read. Safe to repeat and to race: of several writers
 * of one id, one succeeds, and the others find the id taken.
 */
export async function returnUsers(users: FormerUser[]): Promise<ReturnOutcome[]> {
  const outcomes = await writeUsers(
    users.map(({ create, by, isDespiteErasure }) => ({
      hasFormerId: true,
      plan: (_, deletion) =>
        deletion?.erasure && !isDespiteErasure
          ? undefined
          : { after: continueVersion(create(), deletion?.version), by, deletion },
      listCompanions: listReturnItems,
    })),
  );
  return outcomes.map(toReturnOutcome);
}

/** More items for the transaction that writes a user under a former id. */
export const listReturnItems = ({ after, deletion }: Change): TransactItem[] =>
  after ? returnCompanions.flatMap((list) => list({ user: after, deletion })) : [];

export function toReturnOutcome(outcome: WriteOutcome): ReturnOutcome {
  switch (outcome.kind) {
    case 'written': {
      const { after, deletion } = outcome.change;
      return { kind: 'written', user: after as User, deletion }; // The change of a creation has a user.
    }
    case 'taken':
      return outcome;
    case 'unneeded':
      return { kind: 'erased' };
    case 'repeated':
      throw new Error('A return has no idempotency key');
  }
}
