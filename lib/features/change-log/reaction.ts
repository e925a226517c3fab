import { isDeepStrictEqual } from 'node:util';
import { SYSTEM } from '../../auth/caller.ts';
import type { Item } from '../../dynamodb/keys.ts';
import { environment, timestamp } from '../../environment.ts';
import { toUtc } from '../../input/time.ts';
import type { Batch, Reaction } from '../../on-change/batch.ts';
import type { StreamRecord } from '../../on-change/stream-record.ts';
import { signInField } from '../../users/fields/values.ts';
import { appendChanges, type CachedEnd, type Change } from './append.ts';
import { type FindDeletion, readDeletions } from './deletions.ts';
import { noteGap } from './epochs.ts';
import { formatPosition } from './topics.ts';

export function createLogAppender(): Reaction {
  const end: CachedEnd = { number: 0, at: 0 };
  let gapUntil = 0;
  return async (batch) => {
    if (!environment.keepsChangeLog) {
      if (environment.now() >= gapUntil) gapUntil = await noteGap();
      return;
    }
    const changes = await collectChanges(batch).catch((error) => batch.fail(batch.records, error));
    if (!changes) return;
    const failures = await appendChanges([...changes.keys()], end);
    for (const [error, failed] of Map.groupBy(failures.keys(), (change) => failures.get(change)))
      batch.fail(
        failed.flatMap((change) => changes.get(change) ?? []),
        error,
      );
  };
}

async function collectChanges(batch: Batch): Promise<Map<Change, StreamRecord>> {
  const findDeletion = await readDeletions(batch);
  const changes = new Map<Change, StreamRecord>();
  for (const record of batch.records) {
    const change = toChange(record, findDeletion);
    if (change) changes.set(batch.isErased(record) ? eraseContent(change) : change, record);
  }
  return changes;
}

const eraseContent = ({ before, ...change }: Change): Change => ({ ...change, item: null });

function toChange(record: StreamRecord, findDeletion: FindDeletion): Change | undefined {
  const { entity, kind, before, after, version, streamedAt, sequenceNumber } = record;
  if (!entity) return undefined;
  const replaced = before && pickReplaced(before, after);
  if (kind === 'UPDATED' && before && after && isRewrite(before, after)) return undefined;
  return {
    kind,
    id: entity.id,
    version,
    ...(after ? attributeWrite(after) : attributeDeletion(record, findDeletion)),
    streamedAt,
    item: after ? removeDerived(after) : null,
    ...(replaced ? { before: replaced } : {}),
    sequence: formatPosition(sequenceNumber),
  };
}

type Attribution = Pick<Change, 'by' | 'at' | 'mergedInto'>;

const attributeWrite = ({ by, updatedAt }: Item): Attribution => ({
  by: typeof by === 'string' ? by : null,
  at: readTime(updatedAt),
});

/** Posts purged after their author's deletion have no deletion record: the service deleted them. */
function attributeDeletion(record: StreamRecord, findDeletion: FindDeletion): Attribution {
  const { by = record.entity?.type === 'post' ? SYSTEM : null, at, mergedInto } = findDeletion(record) ?? {};
  return { by, at: readTime(at), ...(mergedInto ? { mergedInto } : {}) };
}

/** Now for a missing or damaged time, since the stream's time may be a second too early. */
const readTime = (stored: unknown): string => toUtc(stored) ?? timestamp();

const removeDerived = ({ derived: _, ...item }: Item): Item => item;

/** Rewrites correct derived items or store the time of a sign-in, without a new version. */
const isRewrite = (before: Item, after: Item): boolean =>
  Object.keys(pickReplaced(removeSignIn(before), removeSignIn(after))).length === 0;

function removeSignIn({ fields, ...item }: Item): Item {
  if (!signInField || typeof fields !== 'object' || fields === null) return { fields, ...item };
  const others = Object.entries(fields).filter(([name]) => name !== signInField?.name);
  return others.length === 0 ? item : { ...item, fields: Object.fromEntries(others) };
}

const INTERNAL = ['pk', 'sk', 'directory', 'writeId', 'derived'];

function pickReplaced(old: Item, item: Item = {}): Item {
  const names = [...new Set([...Object.keys(old), ...Object.keys(item)])];
  const replaced = names.filter((name) => !INTERNAL.includes(name) && !isDeepStrictEqual(old[name], item[name]));
  return Object.fromEntries(replaced.map((name) => [name, old[name] ?? null]));
}
