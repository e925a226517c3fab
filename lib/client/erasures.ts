import { defineOperation, type Signal, type Transport } from './transport.ts';

/** `completedAt` is null until all personal data is erased, which takes minutes. */
export type Erasure = {
  id: string;
  requestedAt: string;
  by: string;
  completedAt: string | null;
  /** Ids of deleted users with the same subject, who are erased, too. */
  earlierRecords: string[];
  /** Ids of other deleted users with the same address. Their data remains until you erase them. */
  sameAddress: string[];
};

/** Permanently erases users' personal data. */
export type Erasures = {
  /** Deletes the user, unless already deleted, and starts the erasure. Safe to repeat. */
  request(id: string, options?: { ifVersion?: number } & Signal): Promise<void>;

  /** Returns null if no erasure was requested. */
  find(id: string, options?: Signal): Promise<Erasure | null>;
};

export function createErasures(url: string, { execute }: Transport): Erasures {
  return {
    async request(id, { ifVersion, signal } = {}) {
      const input = { id, ifVersion, erase: true as const };
      await execute(url, { query: eraseUserDocument, variables: { input } }, { signal, idempotent: true });
    },

    async find(id, { signal } = {}) {
      const { erasure } = await execute(url, { query: erasureDocument, variables: { id } }, { signal });
      return erasure;
    },
  };
}

export const eraseUserDocument = defineOperation<
  { deleteUser: { id: string } },
  { input: { id: string; ifVersion?: number | undefined; erase: true } }
>('mutation EraseUser($input: DeleteUserInput!) { deleteUser(input: $input) { id } }');

export const erasureDocument = defineOperation<{ erasure: Erasure | null }, { id: string }>(
  'query Erasure($id: ID!) { erasure(id: $id) { id requestedAt by completedAt earlierRecords sameAddress } }',
);
