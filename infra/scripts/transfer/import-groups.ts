import { v7 as uuidv7 } from 'uuid';
import type { RowResult } from '../../transfer/import-rows.ts';
import type { GroupNames, KnownGroup } from '../../transfer/memberships.ts';
import { mapInOrder, type Pace } from '../../transfer/pace.ts';
import { MAX_ALIASES } from '../../transfer/service-groups.ts';
import type { GroupInput, GroupRow } from './group-rows.ts';
import type { Group, GroupStore } from './group-store.ts';
import type { Results } from './results.ts';

/** Groups that do not exist yet. */
export class PlannedGroups {
  readonly #groups = new Map<string, KnownGroup>();

  add({ id, externalId }: GroupInput): void {
    const group = { id: id ?? uuidv7(), externalId: externalId ?? null };
    this.#groups.set(`id ${group.id}`, group);
    if (externalId !== undefined) this.#groups.set(`externalId ${externalId}`, group);
  }

  find({ ids, externalIds }: GroupNames): KnownGroup[] {
    const keys = [...ids.map((id) => `id ${id}`), ...externalIds.map((externalId) => `externalId ${externalId}`)];
    return keys.flatMap((key) => this.#groups.get(key) ?? []);
  }
}

type Options = {
  store: GroupStore;
  /** Creates groups under the ids of the file, and finds groups by them. For tables only. */
  keepIds: boolean;
  update: boolean;
  /** Receives the groups that a dry run would create. */
  planned: PlannedGroups | undefined;
  pace: Pace;
  results: Results;
  signal: AbortSignal;
  onProgress: () => void;
};

/**
 * Creates the groups in a file, except for known external ids. A repeated import creates no duplicates.
 *
 * Returns whether all rows have results. False if the signal was aborted.
 */
export async function importGroups(rows: AsyncIterable<GroupRow>, options: Options): Promise<boolean> {
  const { pace, results, signal, onProgress } = options;
  const write = (batch: GroupRow[]) => pace.run(() => writeBatch(batch, options));
  try {
    for await (const written of mapInOrder(createBatches(rows, options), pace, write)) {
      results.append(written);
      onProgress();
    }
  } catch (error) {
    // After an abort, ignores errors. The rows of a failed batch have no results, so the next run imports them.
    if (!signal.aborted) throw error;
  }
  return !signal.aborted;
}

async function* createBatches(
  rows: AsyncIterable<GroupRow>,
  { results: { doneUpTo }, signal }: Options,
): AsyncGenerator<GroupRow[]> {
  let batch: GroupRow[] = [];
  for await (const row of rows) {
    if (signal.aborted) return;
    if (row.line <= doneUpTo) continue;
    if (batch.push(row) < MAX_ALIASES) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0 && !signal.aborted) yield batch;
}

async function writeBatch(batch: GroupRow[], options: Options): Promise<RowResult[]> {
  const { store, planned, results } = options;
  if (!planned) results.markSent();
  const groups = batch.flatMap(({ group }) => group ?? []);
  const found = await store.find(listNames(groups, options));
  return Promise.all(
    batch.map(({ line, group, issues }) =>
      issues ? { line, result: 'invalid' as const, issues } : writeGroup(line, group, found, options),
    ),
  );
}

const listNames = (groups: readonly GroupInput[], { keepIds }: Options): GroupNames => ({
  ids: groups.flatMap(({ id, externalId }) => (id !== undefined && (keepIds || externalId === undefined) ? id : [])),
  externalIds: groups.flatMap(({ externalId }) => externalId ?? []),
});

const findOwner = ({ id, externalId }: GroupInput, found: readonly Group[], { keepIds }: Options): Group | undefined =>
  keepIds && id !== undefined
    ? found.find((group) => group.id === id)
    : found.find((group) => (externalId === undefined ? group.id === id : group.externalId === externalId));

async function writeGroup(
  line: number,
  group: GroupInput,
  found: readonly Group[],
  options: Options,
): Promise<RowResult> {
  const { store, keepIds, planned } = options;
  const owner = findOwner(group, found, options);
  if (!owner && group.externalId === undefined && !(keepIds && group.id !== undefined))
    return reject(line, 'externalId', 'is required: a repeated import would create the group again');
  if (planned) {
    if (!owner) planned.add({ ...group, id: keepIds ? group.id : undefined });
    return { line, result: 'valid' };
  }
  try {
    if (owner) return await keepOrUpdate(line, group, owner, options);
    const created = await store.create({ ...group, id: keepIds ? group.id : undefined });
    if (created !== 'taken') return { line, result: 'created', id: created.id };
    // Another import, or an earlier attempt with a lost answer, has created it.
    const other = findOwner(group, await store.find(listNames([group], options)), options);
    return other ? await keepOrUpdate(line, group, other, options) : rejectTaken(line);
  } catch (error) {
    const issue = store.findIssue(error);
    if (issue === undefined) throw error;
    return { line, result: 'invalid', issues: [{ message: issue }] };
  }
}

async function keepOrUpdate(
  line: number,
  { name, externalId }: GroupInput,
  owner: Group,
  { store, update, results: { startedAt } }: Options,
): Promise<RowResult> {
  const { id } = owner;
  const isEqual = owner.name === name && (externalId === undefined || owner.externalId === externalId);
  if (update && !isEqual) {
    const updated = await store.update(id, { name, externalId });
    return updated === 'taken' ? rejectTaken(line) : { line, result: 'updated', id };
  }
  // After a lost answer or a killed run, the group already equals the row.
  if (owner.version === 1 && owner.createdAt >= startedAt) return { line, result: 'created', id };
  if (!update) return { line, result: 'exists', id };
  return { line, result: owner.updatedAt >= startedAt ? 'updated' : 'unchanged', id };
}

const reject = (line: number, column: string, message: string): RowResult => ({
  ...{ line, result: 'invalid' },
  issues: [{ column, message }],
});

const rejectTaken = (line: number): RowResult => reject(line, 'externalId', 'Another group has this externalId or id');
