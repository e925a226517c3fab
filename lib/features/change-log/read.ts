import { getItems, split } from '../../dynamodb/batch.ts';
import { formatKey, type Key, parseAuthorId } from '../../dynamodb/keys.ts';
import { type ChangeEntry, parseChangeEntry, readChangeEntry } from './entry.ts';
import { changeKey } from './keys.ts';
import { type Ref, readOrder } from './order-log.ts';
import { isReadable, readEntries } from './own-log.ts';
import { findTopic, type Topic } from './topics.ts';

/**
 * A log is read up to the position `watermark`. An entry of the order log holds several changes: of the next one, so many
 * were read as `offset` says.
 */
export type LogPosition = { watermark: string; offset: number };

/** What was read, with the position after it. There is no change where a reader has nothing to deliver. */
export type ReadChange = { change: ChangeEntry | undefined; position: LogPosition };

/** `partSize` is the number of refs whose changes are read at once. */
export type ReadOptions = { ConsistentRead?: boolean; pageSize?: number; partSize?: number };

/** Reads the changes of a topic after a position, in order. Those of the order log up to its end only with a consistent read. */
export const readChanges = (
  topic: Topic,
  position: LogPosition,
  options: ReadOptions = {},
): AsyncGenerator<ReadChange> => (topic.isOrderLog ? readAllUsers(position, options) : readOwnLog(topic, position));

/** Tells whether a position is not after another one of the same log. */
export const isUpTo = (one: LogPosition, other: LogPosition): boolean =>
  one.watermark === other.watermark ? one.offset <= other.offset : one.watermark < other.watermark;

async function* readOwnLog(topic: Topic, { watermark }: LogPosition): AsyncGenerator<ReadChange> {
  for await (const { change, position } of readEntries(topic, watermark))
    yield { change: isReadable(change) ? change : undefined, position: { watermark: position, offset: 0 } };
}

export const isOfUser = ({ id }: Ref) => parseAuthorId(id) === undefined;

/** A query page of the order log has at most this many refs. */
const ALL_OF_A_PAGE = 10_000;

async function* readAllUsers(
  { watermark, offset }: LogPosition,
  { partSize = ALL_OF_A_PAGE, ...options }: ReadOptions,
): AsyncGenerator<ReadChange> {
  let [last, skipped] = [watermark, offset];
  for await (const entries of readOrder(watermark, options)) {
    const placed: { ref: Ref; position: LogPosition }[] = [];
    for (const { position, refs } of entries) {
      for (const [index, ref] of refs.entries()) {
        const isLast = index === refs.length - 1;
        const next = isLast ? { watermark: position, offset: 0 } : { watermark: last, offset: index + 1 };
        if (index >= skipped) placed.push({ ref, position: next });
      }
      [last, skipped] = [position, 0];
    }
    for (const part of split(placed, partSize)) {
      const changes = await readContent(part.map(({ ref }) => ref).filter(isOfUser));
      for (const { ref, position } of part) yield { change: isOfUser(ref) ? changes.shift() : undefined, position };
    }
  }
}

/**
 * Reads the changes that refs of the order log name, in their order. There is none where an entry has expired or was
 * erased; a deletion is told by its ref alone.
 */
export async function readContent(refs: Ref[]): Promise<(ChangeEntry | undefined)[]> {
  const found = new Map<string, ChangeEntry | undefined>();
  const read = async (wanted: Ref[], ConsistentRead: boolean) => {
    for (const item of await getItems(wanted.map(toKey), { ConsistentRead }))
      found.set(formatKey(item), readChangeEntry(item));
  };
  await read(refs, false);
  // What refers to an entry can be visible before the entry is.
  await read(
    refs.filter((ref) => !found.has(formatKey(toKey(ref)))),
    true,
  );
  return refs.map((ref) => {
    const change = found.get(formatKey(toKey(ref)));
    if (change) return isReadable(change) ? change : undefined;
    return ref.kind === 'DELETED' ? toDeletion(ref) : undefined;
  });
}

const toKey = ({ id, sequence }: Ref): Key => changeKey(findTopic(id).name, sequence);

const toDeletion = ({ kind, id, sequence, at }: Ref): ChangeEntry =>
  parseChangeEntry({ ...toKey({ kind, id, sequence, at }), kind, id, at: new Date(at).toISOString(), streamedAt: at });
