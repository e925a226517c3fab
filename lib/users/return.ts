import type { TransactItem } from '../dynamodb/transact.ts';
import { returnCompanions } from './companions.ts';
import { continueVersion, type ReturningUser } from './deletion-record.ts';
import type { NewVersion, User } from './user.ts';
import { type Change, type WriteOutcome, writeUsers } from './write.ts';

type FormerUser = {
  /** Called for each write attempt. */
  create(): NewVersion;
  /** Writes the user even if the person was erased, and withdraws a pending erasure. */
  despiteErasure?: boolean;
};

export type ReturnOutcome =
  | ({ kind: 'written' } & ReturningUser)
  | { kind: 'erased' }
  /** `owner` has the id, the address or the value of the unique field `field`. */
  | { kind: 'taken'; field: string; owner: User }
  | Extract<WriteOutcome, { kind: 'rejected' }>;

/**
 * Creates users under former ids, for imports and restores. Versions continue after the last deletion. The first
 * attempt assumes that no deletion record exists, so new ids cost no read. Safe to repeat and to race: one writer of an
 * id succeeds, the others get `taken`.
 */
export async function returnUsers(users: FormerUser[]): Promise<ReturnOutcome[]> {
  const outcomes = await writeUsers(
    users.map(({ create, despiteErasure }) => ({
      hasFormerId: true,
      plan: (_, deletion) =>
        deletion?.erasure && !despiteErasure
          ? undefined
          : { after: continueVersion(create(), deletion?.version), deletion },
      listCompanions: listReturnItems,
    })),
  );
  return outcomes.map(toReturnOutcome);
}

export const listReturnItems = ({ after, deletion }: Change): TransactItem[] =>
  after ? returnCompanions.flatMap((list) => list({ user: after, deletion })) : [];

export function toReturnOutcome(outcome: WriteOutcome): ReturnOutcome {
  switch (outcome.kind) {
    case 'written': {
      const { after, deletion } = outcome.change;
      return { kind: 'written', user: after as User, deletion }; // A creation always has `after`.
    }
    case 'taken':
    case 'rejected':
      return outcome;
    case 'unneeded':
      return { kind: 'erased' };
    case 'repeated':
      throw new Error('Imports and restores have no idempotency key, so none can repeat another');
  }
}
