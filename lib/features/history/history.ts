import { environment } from '../../environment.ts';
import { type ChangeEntry, findChangeTime } from '../change-log/entry.ts';
import { readKnownFormerEpochs } from '../change-log/epochs.ts';
import { readLatestEntries } from '../change-log/read.ts';
import { type Topic, userTopic } from '../change-log/topics.ts';
import { listChanged, parseVersions, type Versions } from '../change-log/versions.ts';

export type HistoryEntry = Pick<ChangeEntry, 'kind' | 'at' | 'by' | 'version' | 'topic' | 'sequence'> & {
  changed: string[];
  /** Id of the user that a merge added to this one, or that it merged this one into. */
  merged: string | undefined;
  mergedInto: string | undefined;
} & Versions;

export const findHistoryMs = (): number => Math.max(1, environment.historyDays) * 24 * 3_600_000;

/** Start of the kept history, in ms. */
export const findHistoryStart = (): number => environment.now() - findHistoryMs();

export type HistoryPosition = Pick<HistoryEntry, 'topic' | 'sequence'>;

/** Reads changes latest first, also of a deleted user. Changes appear seconds after the writes. */
export async function readHistory(
  id: string,
  { limit, after }: { limit: number; after?: HistoryPosition | undefined },
): Promise<{ entries: HistoryEntry[]; hasMore: boolean }> {
  const entries = await readLatest(id, after, limit + 1);
  const start = findHistoryStart();
  // Skip expired items, because DynamoDB deletes them late.
  const kept = entries.filter((entry) => findChangeTime(entry) >= start);
  return { entries: kept.slice(0, limit).map(toHistory), hasMore: kept.length > limit };
}

export async function readLastEntry(id: string): Promise<ChangeEntry | undefined> {
  const [entry] = await readLatest(id, undefined, 1);
  return entry && findChangeTime(entry) >= findHistoryStart() ? entry : undefined;
}

async function readLatest(id: string, after: HistoryPosition | undefined, limit: number): Promise<ChangeEntry[]> {
  const entries: ChangeEntry[] = [];
  let start = after;
  for await (const topic of listTopics(id)) {
    // Earlier pages have read newer logs.
    if (start && start.topic !== topic.name) continue;
    entries.push(...(await readLatestEntries(topic, start?.sequence, limit - entries.length)));
    start = undefined;
    if (entries.length >= limit) break;
  }
  return entries;
}

/** Lists the user's logs, latest first: of this table, then of the tables that it was restored from. */
async function* listTopics(id: string): AsyncGenerator<Topic> {
  yield userTopic(id);
  // Most callers need no former log, so former epochs are read last.
  for (const epoch of (await readKnownFormerEpochs()).toReversed()) yield userTopic(id, epoch);
}

export async function hasLog(id: string, name: string): Promise<boolean> {
  for await (const topic of listTopics(id)) if (topic.name === name) return true;
  return false;
}

function toHistory(entry: ChangeEntry): HistoryEntry {
  const { kind, at, by, version, mergedInto, topic, sequence, item, before } = entry;
  const versions = parseVersions(entry);
  // The item keeps the id until another merge, so only the merge itself replaces it.
  const merged = before && 'merged' in before && typeof item?.merged === 'string' ? item.merged : undefined;
  return { kind, at, by, version, mergedInto, merged, topic, sequence, ...versions, changed: listChanged(versions) };
}
