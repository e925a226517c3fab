import { deleteItems, distinctKeys, runEach } from '../../dynamodb/batches.ts';
import { TableName } from '../../dynamodb/client.ts';
import { deleteItemIf, updateItemIf } from '../../dynamodb/conditional-writes.ts';
import { erasureKey, pendingErasureKey } from '../../dynamodb/keys.ts';
import { transact } from '../../dynamodb/transactions.ts';
import { environment, timestamp } from '../../environment.ts';
import { deleteFirstPosts } from '../../posts/purge.ts';
import { findUser } from '../../users/get.ts';
import { listClaims } from '../../users/list-claims.ts';
import type { User } from '../../users/schema.ts';
import { eraseEntry, readEntries } from '../change-log/own-log.ts';
import { MIN_POSITION, postsTopic, type Topic, userTopic } from '../change-log/topics.ts';
import { listVersions } from '../history/history.ts';
import { listKeys } from '../search/entries.ts';
import { listPendingErasures, type PendingErasure } from './record.ts';

/** Goes on with the erasures that are not completed, and returns the ids of those that are now. Safe to repeat after a crash. */
export async function continueErasures(hasTimeLeft: () => boolean): Promise<string[]> {
  const erased: string[] = [];
  for await (const pending of listPendingErasures()) {
    if (!hasTimeLeft()) break;
    if (await erase(pending)) erased.push(pending.id);
  }
  return erased;
}

/** By then, records of the stream have been consumed, also by an invocation that was slow or repeated. */
const SETTLING_MS = 5 * 60_000;

/** After two days neither the stream nor the search holds anything of a deletion, whether or not the log has it. */
const MAX_SETTLING_MS = 49 * 3_600_000;

/** Returns whether nothing is left that names the person. The log is erased last, as it tells where else to look. */
async function erase({ id, settlesFrom }: PendingErasure): Promise<boolean> {
  // An import has brought the user back.
  if (await findUser(id)) return cancel(id);
  const { deleted } = await deleteFirstPosts(id);
  // on-change has not deleted them all, or has still to see it.
  if (deleted > 0) {
    await settleAgain(id);
    return false;
  }
  const changes = await Array.fromAsync(readEntries(userTopic(id), MIN_POSITION), ({ change }) => change);
  const versions = changes.flatMap(listVersions);
  await deleteItems(distinctKeys(versions.flatMap(listKeys)));
  await releaseClaims(id, versions);
  const settledForMs = environment.now() - Date.parse(settlesFrom);
  const isDeletionLogged = changes.at(-1)?.kind === 'DELETED';
  if (settledForMs < (isDeletionLogged ? SETTLING_MS : MAX_SETTLING_MS)) return false;
  for (const topic of [userTopic(id), postsTopic(id)]) await eraseLog(topic);
  await complete(id);
  return true;
}

/** The deletion has released the last ones; earlier ones may have stayed behind, and may be of other users now. */
const releaseClaims = (id: string, versions: User[]): Promise<void> =>
  runEach(distinctKeys(versions.flatMap(listClaims).map(({ key }) => key)), async (Key) => {
    await deleteItemIf({ Key, ConditionExpression: 'userId = :id', ExpressionAttributeValues: { ':id': id } });
  });

const settleAgain = (id: string): Promise<boolean> =>
  updateItemIf({
    Key: pendingErasureKey(id),
    UpdateExpression: 'SET settlesFrom = :now',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':now': timestamp() },
  });

async function eraseLog(topic: Topic): Promise<void> {
  for await (const { change, position } of readEntries(topic, MIN_POSITION))
    if (change.item || change.before) await eraseEntry(topic, position);
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
