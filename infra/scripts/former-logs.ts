import type { Item, Key } from '../../lib/dynamodb/keys.ts';
import { listEpoch, parseEpoch, readEpochs } from '../../lib/features/change-log/epochs.ts';

/**
 * Finds change logs that the table contains but does not list. A change log belongs to an epoch, and a table lists its epochs after their
 * first change. A table restored to a moment between the two contains an unlisted log, which histories and erasures would miss.
 */
export class FormerLogs {
  /** Time of the first change of each epoch in the scanned items. */
  readonly #since = new Map<string, string>();

  add(items: (Item & Key)[]): void {
    for (const { pk, at } of items) {
      const epoch = parseEpoch(pk);
      const since = epoch === undefined ? undefined : this.#since.get(epoch);
      if (epoch !== undefined && typeof at === 'string' && !(since && since <= at)) this.#since.set(epoch, at);
    }
  }

  /** Returns the unlisted epochs. May include the current epoch, which `on-change` lists with the next change. */
  async findUnlisted(): Promise<string[]> {
    const listed = await readEpochs();
    return [...this.#since.keys()].filter((epoch) => !listed.includes(epoch));
  }

  async list(epochs: string[]): Promise<void> {
    for (const epoch of epochs) await listEpoch(epoch, this.#since.get(epoch) ?? '');
  }
}
