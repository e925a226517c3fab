import type { Item, Key } from '../../lib/dynamodb/keys.ts';
import { listEpoch, parseEpoch, readEpochs } from '../../lib/features/change-log/epochs.ts';

/**
 * The change logs that a scan of the table has found. A table that was restored to a second before it listed its epoch holds a
 * log that histories and erasures would not find.
 */
export class FormerLogs {
  /** The time of the first change, by the epoch of the log. */
  readonly #since = new Map<string, string>();

  add(items: (Item & Key)[]): void {
    for (const { pk, at } of items) {
      const epoch = parseEpoch(pk);
      const since = epoch === undefined ? undefined : this.#since.get(epoch);
      if (epoch !== undefined && typeof at === 'string' && !(since && since <= at)) this.#since.set(epoch, at);
    }
  }

  /** Returns the epochs that the table does not list. This table's is listed by on-change, with the next change. */
  async findUnlisted(): Promise<string[]> {
    const listed = await readEpochs();
    return [...this.#since.keys()].filter((epoch) => !listed.includes(epoch));
  }

  async list(epochs: string[]): Promise<void> {
    for (const epoch of epochs) await listEpoch(epoch, this.#since.get(epoch) ?? '');
  }
}
