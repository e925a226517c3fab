import { deleteItems, getItems } from '../../dynamodb/batches.ts';
import { TableName } from '../../dynamodb/client.ts';
import { updateItemIf } from '../../dynamodb/conditional-writes.ts';
import type { Item, Key } from '../../dynamodb/keys.ts';
import { transact } from '../../dynamodb/transactions.ts';
import { environment, timestamp } from '../../environment.ts';
import { isUnavailable } from '../../errors.ts';
import { logError } from '../../log.ts';
import type { Job } from '../../maintenance/run.ts';
import { deleteFirstPosts } from '../../posts/purge.ts';
import { findUser } from '../../users/get.ts';
import { readChangeEntry } from '../change-log/entry.ts';
import { readEpochs } from '../change-log/epochs.ts';
import { eraseEntry, readStoredEntries } from '../change-log/own-log.ts';
import { MIN_POSITION, postsTopic, type Topic, userTopic } from '../change-log/topics.ts';
import { listVersions } from '../change-log/versions.ts';
import { searchCheckpointKey } from '../repair/keys.ts';
import { erasureKey, pendingErasureKey } from './keys.ts';
import { listPendingErasures, type PendingErasure, type Traced } from './record.ts';
import { allTraces } from './traces.ts';

/** Goes on with the erasures that are not completed, and yields the ids of those that are now. Safe to repeat after a crash. */
export const erasureJob: Job = {
  name: 'erasures',
  turnMs: 8_000,
  async *run() {
    const erased: string[] = [];
    const errors: unknown[] = [];
    for await (const pending of listPendingErasures()) {
      try {
        if (await erase(pending)) erased.push(pending.id);
      } catch (error) {
        if (isUnavailable(error)) throw error;
        // One erasure that fails must not block the others.
        logError(error, { erasure: pending.id });
        errors.push(error);
      }
      yield { erased };
    }
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} erasures failed`);
  },
};

/** By then, records of the stream have been consumed, also by an invocation that was slow or repeated. */
const SETTLING_MS = 5 * 60_000;

/** After two days neither the stream nor the search holds anything of a deletion, whether or not the log has it. */
const MAX_SETTLING_MS = 49 * 3_600_000;

/** Returns whether nothing is left that names the person. The log is erased last, as it tells where else to look. */
async function erase({ id, settlesFrom, user }: PendingErasure): Promise<boolean> {
  // An import has brought the user back.
  if (await findUser(id)) return cancel(id);
  const { deleted } = await deleteFirstPosts(id);
  // on-change has not deleted them all, or has still to see it.
  if (deleted > 0) {
    await settleAgain(id);
    return false;
  }
  // The logs of tables that this one was restored from tell of the person, too.
  const epochs = await readEpochs();
  const entries: Item[] = [];
  for (const epoch of epochs)
    for await (const entry of readStoredEntries(userTopic(id, epoch), MIN_POSITION)) entries.push(entry);
  const versions = [...entries.flatMap((entry) => listStoredVersions(entry, id)), ...(user ? [user] : [])];
  await removeTraces(id, await findTraces(id, versions));
  const settledForMs = environment.now() - Date.parse(settlesFrom);
  const isDeletionLogged = entries.at(-1)?.kind === 'DELETED';
  if (settledForMs < (isDeletionLogged ? SETTLING_MS : MAX_SETTLING_MS)) return false;
  // What stands there is asked again, not concluded.
  if ((await findTraces(id, versions)).length > 0) return false;
  for (const epoch of epochs) for (const topic of [userTopic(id, epoch), postsTopic(id, epoch)]) await eraseLog(topic);
  await complete(id);
  return true;
}

/** An entry that was damaged by hand may still hold the person's values. */
function listStoredVersions(stored: Item, id: string): Traced[] {
  const { item, before } = readChangeEntry(stored) ?? { item: toMap(stored.item), before: toMap(stored.before) };
  return listVersions({ id, item: item ?? null, before });
}

const toMap = (value: unknown): Item | undefined =>
  typeof value === 'object' && value !== null ? { ...value } : undefined;

/**
 * Finds what names the person wherever it may stand after any version of the user, and under any declaration of own fields: entries
 * and claims of a field stay behind when it is no longer declared.
 */
async function findTraces(id: string, versions: Traced[]): Promise<(Item & Key)[]> {
  const keys = versions.flatMap((version) => allTraces.flatMap(({ listKeys }) => listKeys(version)));
  const items = await getItems([...keys, searchCheckpointKey], { ConsistentRead: true });
  return items.filter((item) => allTraces.some(({ isOf }) => isOf(item, id)) || isCursorAt(item, id));
}

/** The pass over all users goes on each minute. Until then its cursor may be the key of an entry, which holds a name. */
const isCursorAt = ({ scannedUpTo }: Item, id: string): boolean => JSON.stringify(scannedUpTo ?? {}).includes(id);

async function removeTraces(id: string, items: (Item & Key)[]): Promise<void> {
  for (const { isOf, remove } of allTraces) {
    const own = items.filter((item) => isOf(item, id));
    await remove(own, id);
  }
}

const settleAgain = (id: string): Promise<boolean> =>
  updateItemIf({
    Key: pendingErasureKey(id),
    UpdateExpression: 'SET settlesFrom = :now',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':now': timestamp() },
  });

async function eraseLog(topic: Topic): Promise<void> {
  for await (const { sk, item, before } of readStoredEntries(topic, MIN_POSITION))
    if (item || before) await eraseEntry(topic, sk);
}

async function complete(id: string): Promise<void> {
  await transact({
    pending: { Delete: { TableName, Key: pendingErasureKey(id) } },
    erasure: {
      Update: {
        TableName,
        Key: erasureKey(id),
        UpdateExpression: 'SET completedAt = :now',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':now': timestamp() },
      },
    },
  });
}

async function cancel(id: string): Promise<false> {
  await deleteItems([erasureKey(id), pendingErasureKey(id)]);
  return false;
}
