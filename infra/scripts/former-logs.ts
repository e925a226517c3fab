import type { Item, Key } from '../../lib/dynamodb/keys.ts';
import { listEpoch, parseEpoch, readEpochs } from '../../lib/features/change-log/epochs.ts';

/**
 * Finds change logs that a restored table does not list. A table lists an epoch only after its first change. If the
 * table is restored to a moment between change and listing, histories and erasures would miss that log.
 */
export class FormerLogs {
  readonly #since = new Map<string, string>();

  add(items: (Item & Key)[]): void {
    for (const { pk, at } of items) {
      const epoch = parseEpoch(pk);
      const since = epoch === undefined ? undefined : this.#since.get(epoch);
      if (epoch !== undefined && typeof at === 'string' && !(since && since <= at)) this.#since.set(epoch, at);
    }
  }

  /** May include the current epoch, which `on-change` lists with the next change. */
  async findUnlisted(): Promise<string[]> {
    const listed = await readEpochs();
    return [...this.#since.keys()].filter((epoch) => !listed.includes(epoch));
  }

  async list(epochs: string[]): Promise<void> {
    for (const epoch of epochs) await listEpoch(epoch, this.#since.get(epoch) ?? '');
  }
}
