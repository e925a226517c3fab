import { SYSTEM } from '../../auth/caller.ts';
import { TableName } from '../../dynamodb/client.ts';
import { writeIf } from '../../dynamodb/conditional.ts';
import { deletionKey, type Key, userKey } from '../../dynamodb/keys.ts';
import { transact } from '../../dynamodb/transact.ts';
import { environment, timestamp } from '../../environment.ts';
import { isUnavailable } from '../../errors.ts';
import { logError } from '../../log.ts';
import type { Job } from '../../maintenance/run.ts';
import { deleteFirstPosts } from '../../posts/purge.ts';
import type { Claim } from '../../users/derived.ts';
import { findUser } from '../../users/read.ts';
import { tryParseChangeEntry } from '../change-log/entry.ts';
import { readEpochs } from '../change-log/epochs.ts';
import { eraseEntry, readStoredEntries } from '../change-log/read.ts';
import { MIN_POSITION, postsTopic, type Topic, userTopic } from '../change-log/topics.ts';
import { parseVersions } from '../change-log/versions.ts';
import { eraseFormerUsers } from './earlier-records.ts';
import { isSubjectClaim, listFormerClaims, mergeClaim } from './former-records.ts';
import { erasureKey, formerRecordKey, pendingErasureKey } from './keys.ts';
import { findErasureExpiry, listPendingErasures, type PendingErasure } from './record.ts';

/** Time after which a pending erasure raises an alarm. An erasure normally takes minutes. */
const MAX_PENDING_MS = 60 * 60_000;

/** Safe to repeat after a crash. */
export const erasureJob: Job = {
  name: 'erasures',
  turnMs: 8_000,
  async *run() {
    const erased: string[] = [];
    const overdue: string[] = [];
    const errors: unknown[] = [];
    for await (const pending of listPendingErasures()) {
      try {
        if (await erase(pending)) erased.push(pending.id);
        else if (environment.now() - Date.parse(pending.requestedAt) > MAX_PENDING_MS) overdue.push(pending.id);
      } catch (error) {
        if (isUnavailable(error)) throw error;
        logError(error, { erasure: pending.id });
        errors.push(error);
      }
      yield { erased };
    }
    if (overdue.length > 0) throw new Error(`Erasures have waited for more than an hour: ${overdue.join(', ')}`);
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} erasures failed`);
  },
};

/** Time for slow or repeated invocations to consume stream records. */
const SETTLING_MS = 5 * 60_000;

/**
 * Continues an erasure. Returns true once it is complete. The deletion has removed all derived items: only posts and
 * change logs are left. Later stream records are logged without content (reaction.ts).
 */
async function erase({ id, settlesFrom }: PendingErasure): Promise<boolean> {
  if (await findUser(id)) {
    // Only a change by hand brings a user back without withdrawing the erasure. An operator must decide.
    console.warn({ event: 'erasure of an existing user', erasure: id });
    await settleAgain(id);
    return false;
  }
  const { deleted, userExists } = await deleteFirstPosts(id);
  if (deleted > 0 || userExists) return false;
  if (environment.now() - Date.parse(settlesFrom) < SETTLING_MS) return false;
  const { entries, claims } = await readContent(id);
  // An import may have brought the user back: entries listed after that would belong to the returned user.
  if (await findUser(id)) return false;
  // The request misses earlier records if the log was late, or if the subject has changed since.
  await eraseFormerUsers([...claims.filter(isSubjectClaim), mergeClaim(id)], id, SYSTEM);
  for (const { key } of claims) await deleteFormerRecord(key, { id, settlesFrom });
  for (const { topic, position } of entries) await eraseEntry(topic, position);
  // Completes in the next run: until then, readers hide the content that a lagging replica still returns.
  if (entries.length > 0) return false;
  return complete({ id, settlesFrom });
}

const settleAgain = (id: string) =>
  writeIf('Update', {
    Key: pendingErasureKey(id),
    UpdateExpression: 'SET settlesFrom = :now',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':now': timestamp() },
  });

type Content = { entries: { topic: Topic; position: string }[]; claims: Claim[] };

/** Lists the entries with content, and the claims of all subjects and addresses in them. */
async function readContent(id: string): Promise<Content> {
  const entries: { topic: Topic; position: string }[] = [];
  const claims = new Map<string, Claim>();
  for (const epoch of await readEpochs())
    for (const topic of [userTopic(id, epoch), postsTopic(id, epoch)])
      for await (const stored of readStoredEntries(topic, MIN_POSITION)) {
        const { sk: position, item, before } = stored;
        if (!item && !before) continue;
        entries.push({ topic, position });
        const change = tryParseChangeEntry(stored);
        for (const claim of change ? Object.values(parseVersions(change)).flatMap(listFormerClaims) : [])
          claims.set(claim.key.pk, claim);
      }
  return { entries, claims: [...claims.values()] };
}

/** Keeps the record if an import has withdrawn the erasure: the user may have been deleted again. */
const deleteFormerRecord = (claim: Key, pending: Pick<PendingErasure, 'id' | 'settlesFrom'>) =>
  transact({
    pending: { ConditionCheck: { TableName, ...pendingCondition(pending) } },
    record: { Delete: { TableName, Key: formerRecordKey(claim, pending.id) } },
  });

const pendingCondition = ({ id, settlesFrom }: Pick<PendingErasure, 'id' | 'settlesFrom'>) => ({
  Key: pendingErasureKey(id),
  ConditionExpression: 'settlesFrom = :settlesFrom',
  ExpressionAttributeValues: { ':settlesFrom': settlesFrom },
});

/**
 * False if an import has withdrawn the erasure. A new request, which waits again, may have followed: `settlesFrom`
 * differs then.
 */
async function complete({ id, settlesFrom }: Pick<PendingErasure, 'id' | 'settlesFrom'>): Promise<boolean> {
  const expiresAt = findErasureExpiry();
  const { failures } = await transact({
    pending: { Delete: { TableName, ...pendingCondition({ id, settlesFrom }) } },
    erasure: {
      Update: {
        TableName,
        Key: erasureKey(id),
        // The command `erase --table` does not know `backupDays`, unlike this function.
        UpdateExpression: 'SET completedAt = :now, expiresAt = :expiresAt',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':now': timestamp(), ':expiresAt': expiresAt },
      },
    },
    deletion: {
      Update: {
        TableName,
        Key: deletionKey(userKey(id)),
        UpdateExpression: 'SET erasure = :completed, expiresAt = :expiresAt',
        ConditionExpression: 'erasure = :pending',
        ExpressionAttributeValues: { ':pending': 'pending', ':completed': 'completed', ':expiresAt': expiresAt },
      },
    },
  });
  return !failures;
}
