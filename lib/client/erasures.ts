import { defineOperation, type Transport } from './transport.ts';

/** `completedAt` is null until nothing is left that names the person, which takes minutes. */
export type Erasure = { id: string; requestedAt: string; by: string; completedAt: string | null };

type Signal = { signal?: AbortSignal | undefined };

/** Deletes people so that nothing is left that names them. */
export type Erasures = {
  /** Deletes a user, or takes one who was deleted before, and requests the erasure. It does no harm to ask again. */
  request(id: string, options?: { ifVersion?: number } & Signal): Promise<void>;

  /** Returns null if nobody asked for it. */
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
  'query Erasure($id: ID!) { erasure(id: $id) { id requestedAt by completedAt } }',
);
