import { randomUUID } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { lockFile } from '../../local/lock-file.ts';
import { type Counts, createCounts, type ResultLog, type RowResult } from '../../transfer/import-rows.ts';
import { readLines } from '../../transfer/lines.ts';
import { nameResultFiles } from './outputs.ts';

/** A run continues another one with the same `input`. Both have the id, and the time in ISO 8601, of the first one. */
type ImportState = { input: string | undefined; importId: string; startedAt: string };

/**
 * The results of an import, one line a row, in the order of the rows: it is also the journal, as a run that was killed
 * continues after its last whole line. Beside it is a file that tells what was imported, until the end.
 */
export class Results implements ResultLog {
  readonly counts: Counts = createCounts();
  readonly importId: string;
  readonly startedAt: string;
  /** Rows up to this line have results; 0 is none. */
  readonly doneUpTo: number = 0;
  readonly #file: string;
  readonly #descriptor: number;
  readonly #unlock: () => void;

  private constructor(file: string, unlock: () => void, state: ImportState, done?: { counts: Counts; line: number }) {
    [this.#file, this.#unlock] = [file, unlock];
    [this.importId, this.startedAt] = [state.importId, state.startedAt];
    if (done) [this.counts, this.doneUpTo] = [done.counts, done.line];
    this.#descriptor = openSync(file, done ? 'a' : 'w');
  }

  /**
   * Continues the results of an import with the same input that did not end; otherwise they begin again. Throws an error of one sentence
   * if another import writes them, or if they are damaged.
   */
  static async open(file: string, input: string | undefined): Promise<Results> {
    const unlock = lockResults(file);
    try {
      return await Results.#openLocked(file, unlock, input);
    } catch (error) {
      unlock();
      throw error;
    }
  }

  static async #openLocked(file: string, unlock: () => void, input: string | undefined): Promise<Results> {
    const state = readState(file);
    if (state && input !== undefined && state.input === input && existsSync(file))
      return new Results(file, unlock, state, await readDone(file));
    await checkReplaceable(file);
    const begun = { input, importId: randomUUID(), startedAt: new Date().toISOString() };
    // The results of another import must not seem to be those of this one.
    rmSync(file, { force: true });
    writeState(file, begun);
    return new Results(file, unlock, begun);
  }

  append(results: readonly RowResult[]): void {
    for (const { result } of results) this.counts[result]++;
    if (results.length > 0)
      writeSync(this.#descriptor, results.map((result) => `${JSON.stringify(result)}\n`).join(''));
  }

  close({ isComplete }: { isComplete: boolean }): void {
    closeSync(this.#descriptor);
    if (isComplete) rmSync(nameResultFiles(this.#file).state, { force: true });
    this.#unlock();
  }
}

/** Two imports that write the same results would make them useless to both. */
function lockResults(file: string): () => void {
  const lock = nameResultFiles(file).lock;
  for (;;) {
    const unlock = lockFile(lock, 0);
    if (!unlock)
      throw new Error(
        `${file} is being written by another import: wait for its end, or name another file with --results`,
      );
    const release = () => {
      rmSync(lock, { force: true });
      unlock();
    };
    if (existsSync(lock)) return release;
    // The import that had it has just removed it, and others would make another one.
    unlock();
  }
}

function readState(file: string): ImportState | undefined {
  try {
    return JSON.parse(readFileSync(nameResultFiles(file).state, 'utf8'));
  } catch {
    // There is none, and no run to continue.
    return undefined;
  }
}

/** Writes the file, then renames it: a crash leaves a whole one, or none. */
function writeState(file: string, state: ImportState): void {
  const { newState, state: stateFile } = nameResultFiles(file);
  writeFileSync(newState, JSON.stringify(state));
  renameSync(newState, stateFile);
}

/** A result lists ten issues at most. */
const MAX_RESULT_BYTES = 64 * 1024;

const RESULT_LINES = { maxBytes: Number.POSITIVE_INFINITY, encoding: 'utf-8' };

/** Throws an error of one sentence if a file has something else than the results of an import. */
async function checkReplaceable(file: string): Promise<void> {
  if (!existsSync(file)) return;
  for await (const { text = '' } of readLines(createReadStream(file), {
    ...RESULT_LINES,
    maxBytes: MAX_RESULT_BYTES,
  })) {
    if (!parseResult(text)) throw new Error(`${file} has no results of an import. Name another file with --results`);
    return;
  }
}

/** A run that was killed may leave a part of a line at the end, which is cut off. */
async function readDone(file: string): Promise<{ counts: Counts; line: number }> {
  const done = { counts: createCounts(), line: 0 };
  let bytes = 0;
  for await (const { number, text = '' } of readLines(createReadStream(file), RESULT_LINES)) {
    const length = Buffer.byteLength(text) + 1;
    if (bytes + length > statSync(file).size) break;
    const result = parseResult(text);
    if (!result || result.line <= done.line)
      throw new Error(
        `Line ${number} of ${file} is no result of this import: remove the file to begin again, or name another one with --results`,
      );
    done.counts[result.result]++;
    done.line = result.line;
    bytes += length;
  }
  truncateSync(file, bytes);
  return done;
}

function parseResult(text: string): Pick<RowResult, 'line' | 'result'> | undefined {
  try {
    const { line, result } = JSON.parse(text);
    return Number.isInteger(line) && Object.hasOwn(createCounts(), result) ? { line, result } : undefined;
  } catch {
    return undefined;
  }
}
