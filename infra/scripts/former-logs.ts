import type { Item, Key } from '../../lib/dynamodb/keys.ts';
import { listEpoch, parseEpoch, readEpochs } from '../../lib/features/change-log/epochs.ts';

/**
 * A table lists an epoch after its first change. If it is restored to a moment between the two, histories and erasures
 * would miss the unlisted change log.
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
