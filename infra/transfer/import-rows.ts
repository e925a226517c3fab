import { userKey } from '../../lib/dynamodb/keys.ts';
import { listClaims } from '../../lib/users/derived.ts';
import { changeFields } from '../../lib/users/fields/values.ts';
import { FirstLines } from './first-lines.ts';
import { mapInOrder, type Pace } from './pace.ts';
import { NO_ADDRESS, type Row, type RowIssue, type UserRow } from './rows.ts';

/**
 * Result of a row. `valid`: only in dry runs. `unchecked`: fields that a dry run could not check, because the deployment does not publish
 * their limits. `exists`: the user exists and was not changed. `unchanged`: an update, and all values are equal. `erased`: skipped, because the person was erased.
 */
export type RowResult =
  | { line: number; result: 'created' | 'updated' | 'unchanged' | 'exists'; id: string; despiteErasure?: boolean }
  | { line: number; result: 'erased'; id: string }
  | { line: number; result: 'valid'; unchecked?: string[] }
  | { line: number; result: 'invalid'; issues: RowIssue[] };

export type Counts = Record<RowResult['result'], number>;

export const createCounts = (): Counts => ({
  ...{ created: 0, updated: 0, unchanged: 0, exists: 0 },
  ...{ erased: 0, invalid: 0, valid: 0 },
});

/** True for a rejected row without an email address. Files of other tools often have many. */
export const lacksAddress = (result: RowResult): boolean =>
  result.result === 'invalid' && result.issues.some(({ message }) => message === NO_ADDRESS);

/** Receives results in the order of the rows. `doneUpTo`: last line with a result, or 0. */
export type ResultLog = { readonly doneUpTo: number; append(results: readonly RowResult[]): void };

/** The deployment or table that users are imported into. `write` is idempotent: writing a row again changes nothing. */
export type Target = {
  /** Limits of a batch. A batch of a single row may exceed `maxCharacters`. */
  maxRows: number;
  maxCharacters: number;
  maxParallel: number;
  isBusy(error: unknown): boolean;
  /** Returns one result per row, in the order of the rows. */
  write(rows: UserRow[]): Promise<RowResult[]>;
};

/** A dry run if `target` is undefined. If `signal` is aborted, the import stops between two batches. */
type Options = {
  target: Target | undefined;
  pace: Pace;
  results: ResultLog;
  /** Own fields that a dry run cannot check, because the deployment does not publish their limits. */
  unchecked?: readonly string[];
  signal?: AbortSignal;
  onProgress?: () => void;
};

/** Imports rows, or checks them in a dry run. Returns whether all rows have results. False if the signal was aborted. */
export async function importRows(rows: AsyncIterable<Row>, options: Options): Promise<boolean> {
  const { target, pace, results, unchecked = [], signal, onProgress = () => {} } = options;
  const write = (batch: Row[]) => (target ? writeBatch(batch, target, pace) : checkBatch(batch, unchecked));
  const reading: Reading = {};
  const batches = createBatches(rejectDuplicates(rows), { ...LIMITS, ...target }, results.doneUpTo, signal, reading);
  try {
    for await (const written of mapInOrder(batches, pace, write, countCharacters)) {
      results.append(written);
      onProgress();
    }
  } catch (error) {
    // After an abort, ignores errors. The rows of a failed batch have no results, so the next run imports them.
    if (!signal?.aborted) throw error;
  }
  if (signal?.aborted) return false;
  if (reading.error) throw reading.error;
  return true;
}

/** `error`: why the rest of the rows could not be read. */
type Reading = { error?: unknown };

const countCharacters = (batch: Row[]) => batch.reduce((sum, { size }) => sum + size, 0);

/** Limits of a batch in a dry run. */
const LIMITS = { maxRows: 1_000, maxCharacters: 1_000_000 };

/** Reports an issue for each row that repeats the id, the email address or a unique value of an earlier row. */
async function* rejectDuplicates(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  const firstLines = new FirstLines();
  for await (const row of rows) {
    const { line, size } = row;
    const values = row.issues ? [] : listUniqueValues(row);
    const issues = values.flatMap(({ field, pk }) => {
      const first = firstLines.find(pk);
      return first === undefined ? [] : [{ column: field, message: `is the ${field} of line ${first}, too` }];
    });
    yield issues.length > 0 ? { line, size, issues } : row;
    if (issues.length === 0) for (const { pk } of values) firstLines.add(pk, line);
  }
}

function listUniqueValues({ user, kept: { id } }: UserRow): { field: string; pk: string }[] {
  const claims = listClaims({ email: user.email, ...changeFields({}, user) });
  return [
    ...(id === undefined ? [] : [{ field: 'id', pk: userKey(id).pk }]),
    ...claims.map(({ claimOf, key }) => ({ field: claimOf, pk: key.pk })),
  ];
}

async function* createBatches(
  rows: AsyncIterable<Row>,
  { maxRows, maxCharacters }: Pick<Target, 'maxRows' | 'maxCharacters'>,
  doneUpTo: number,
  signal: AbortSignal | undefined,
  reading: Reading,
): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let characters = 0;
  try {
    for await (const row of rows) {
      if (signal?.aborted) return;
      if (row.line <= doneUpTo) continue;
      if (batch.length === maxRows || (batch.length > 0 && characters + row.size > maxCharacters)) {
        yield batch;
        [batch, characters] = [[], 0];
      }
      batch.push(row);
      characters += row.size;
    }
  } catch (error) {
    // The rows before the error get results, because batches of them may already be written.
    reading.error = error;
  }
  if (batch.length > 0 && !signal?.aborted) yield batch;
}

async function checkBatch(batch: Row[], unchecked: readonly string[]): Promise<RowResult[]> {
  return batch.map((row): RowResult => {
    const { line, issues } = row;
    if (issues) return { line, result: 'invalid', issues };
    const fields = unchecked.filter((name) => Object.hasOwn(row.user, name));
    return { line, result: 'valid', ...(fields.length > 0 ? { unchecked: fields } : {}) };
  });
}

async function writeBatch(batch: Row[], target: Target, pace: Pace): Promise<RowResult[]> {
  const valid = batch.filter((row) => row.issues === undefined);
  const written = valid.length > 0 ? await pace.run(() => target.write(valid)) : [];
  const results = new Map(written.map((result) => [result.line, result]));
  return batch.map(({ line, issues }): RowResult => {
    if (issues) return { line, result: 'invalid', issues };
    return results.get(line) as RowResult; // The target returns a result for each row.
  });
}
