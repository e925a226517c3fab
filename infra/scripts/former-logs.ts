import type { Item, Key } from '../../lib/dynamodb/keys.ts';
import { parseEpoch, readEpochs, storeEpoch } from '../../lib/features/change-log/epochs.ts';

type FormerLog = { epoch: string; since: string; firstEntry: Key };

/**
 * Finds change logs that a restored table does not list. A table lists an epoch only after its first change. If the
 * table is restored to a moment between change and listing, histories and erasures would miss that log.
 */
export class FormerLogs {
  readonly #logs = new Map<string, FormerLog>();

  add(items: (Item & Key)[]): void {
    for (const { pk, sk, at } of items) {
      const epoch = parseEpoch(pk);
      const known = epoch === undefined ? undefined : this.#logs.get(epoch);
      if (epoch !== undefined && typeof at === 'string' && !(known && known.since <= at))
        this.#logs.set(epoch, { epoch, since: at, firstEntry: { pk, sk } });
    }
  }

  /** May include the current epoch, which `on-change` lists with the next change. */
  async findUnlisted(): Promise<FormerLog[]> {
    const listed = await readEpochs();
    return [...this.#logs.values()].filter(({ epoch }) => !listed.includes(epoch));
  }

  async list(logs: FormerLog[]): Promise<void> {
    for (const { epoch, since } of logs) await storeEpoch(epoch, since);
  }
}
