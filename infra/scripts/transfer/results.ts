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
} from 'node:fs';
import { lockFile } from '../../local/lock-file.ts';
import { type Counts, createCounts, lacksAddress, type ResultLog, type RowResult } from '../../transfer/import-rows.ts';
import { readLines } from '../../transfer/lines.ts';
import { nameResultFiles } from './outputs.ts';

/** A run with the same `input` continues the import. If `input` is undefined, no run can continue it. */
type ImportState = { input: string | undefined; importId: string; startedAt: string };

type OpenOptions = { force?: boolean; isRepeatable?: boolean };

/**
 * One line per row, in the order of the input. After a killed run, the next one continues after the last complete line.
 * Until the import ends, a state file describes its input.
 */
export class Results implements ResultLog {
  readonly counts: Counts = createCounts();
  readonly importId: string;
  readonly startedAt: string;
  withoutAddress = 0;
  doneUpTo = 0;
  readonly #file: string;
  readonly #descriptor: number;
  readonly #unlock: () => void;
  #hasSent: boolean;

  private constructor(file: string, unlock: () => void, state: ImportState, done?: Done) {
    [this.#file, this.#unlock] = [file, unlock];
    [this.importId, this.startedAt] = [state.importId, state.startedAt];
    if (done) [this.counts, this.withoutAddress, this.doneUpTo] = [done.counts, done.withoutAddress, done.line];
    this.#descriptor = openSync(file, done ? 'a' : 'w');
    this.#hasSent = done !== undefined;
  }

  /**
   * Continues an unfinished import with the same input, or starts a new file. Throws if another import is writing the
   * file, or if it is damaged. Only `force` starts over, and replaces results that name written users, or, by a dry run
   * or standard input, results of an unfinished import. `isRepeatable`: results of an import that ended are replaced.
   */
  static async open(file: string, input: string | undefined, options: OpenOptions = {}): Promise<Results> {
    const unlock = lockResults(file);
    try {
      return await Results.#openLocked(file, unlock, input, options);
    } catch (error) {
      unlock();
      throw error;
    }
  }

  static async #openLocked(
    file: string,
    unlock: () => void,
    input: string | undefined,
    { force = false, isRepeatable = false }: OpenOptions,
  ): Promise<Results> {
    const state = readState(file);
    if (!force && state && input !== undefined && state.input === input && existsSync(file))
      return new Results(file, unlock, state, await readDone(file));
    const content = await inspectResults(file);
    if (content === 'other')
      throw new Error(`${file} exists and does not contain import results. Pass another file with --results`);
    const hint = 'Pass another file with --results, or replace this one with --force';
    if (state?.input !== undefined && content !== 'none' && (content === 'written' || input === undefined) && !force)
      throw new Error(
        `${file} has the results of an import that has not ended, and continues with the same command, file and table. ${hint}`,
      );
    if (content === 'written' && !force && !isRepeatable)
      throw new Error(`${file} names the users that an earlier import wrote. ${hint}`);
    const begun = { input, importId: randomUUID(), startedAt: new Date().toISOString() };
    // Removes old results before storing the new state: after a crash, they could otherwise belong to that state.
    rmSync(file, { force: true });
    writeState(file, begun);
    return new Results(file, unlock, begun);
  }

  /** Call it before sending rows: they may be written without a result, so the next run needs the same `importId`. */
  markSent(): void {
    this.#hasSent = true;
  }

  append(results: readonly RowResult[]): void {
    // On a full disk, writeSync would write a part without an error.
    writeFileSync(this.#descriptor, results.map((result) => `${JSON.stringify(result)}\n`).join(''));
    for (const result of results) {
      this.counts[result.result]++;
      if (lacksAddress(result)) this.withoutAddress++;
      this.doneUpTo = result.line;
    }
  }

  close({ isComplete }: { isComplete: boolean }): void {
    closeSync(this.#descriptor);
    const isUnused = this.doneUpTo === 0 && !this.#hasSent;
    if (isComplete || isUnused) rmSync(nameResultFiles(this.#file).state, { force: true });
    // An empty file would only hide that nothing was imported.
    if (!isComplete && isUnused) rmSync(this.#file, { force: true });
    this.#unlock();
  }
}

/** Two imports would corrupt the file. Throws if it is locked. */
function lockResults(file: string): () => void {
  const lock = nameResultFiles(file).lock;
  for (;;) {
    const unlock = lockFile(lock, 0);
    if (!unlock)
      throw new Error(`Another import is writing ${file}: wait until it ends, or pass another file with --results`);
    const release = () => {
      rmSync(lock, { force: true });
      unlock();
    };
    if (existsSync(lock)) return release;
    // The previous owner removed the lock file after this process opened it, so another process could lock a new file.
    unlock();
  }
}

function readState(file: string): ImportState | undefined {
  try {
    return JSON.parse(readFileSync(nameResultFiles(file).state, 'utf8'));
  } catch {
    return undefined;
  }
}

function writeState(file: string, state: ImportState): void {
  const { newState, state: stateFile } = nameResultFiles(file);
  writeFileSync(newState, JSON.stringify(state));
  renameSync(newState, stateFile);
}

const MAX_RESULT_BYTES = 64 * 1024;

const RESULT_LINES = { maxBytes: Number.POSITIVE_INFINITY, encoding: 'utf-8' };

/**
 * `written`: names users that an import created or updated. A later import could not name them again. `unwritten`: has
 * only other results, as after a dry run. `other`: the first line is not a result.
 */
async function inspectResults(file: string): Promise<'none' | 'written' | 'unwritten' | 'other'> {
  if (!existsSync(file)) return 'none';
  let content: 'none' | 'unwritten' = 'none';
  const lines = readLines(createReadStream(file), { ...RESULT_LINES, maxBytes: MAX_RESULT_BYTES });
  for await (const { text = '' } of lines) {
    const result = parseResult(text)?.result;
    if (content === 'none' && !result) return 'other';
    if (result === 'created' || result === 'updated') return 'written';
    content = 'unwritten';
  }
  return content;
}

type Done = { counts: Counts; withoutAddress: number; line: number };

/** Truncates an incomplete line of a killed run. */
async function readDone(file: string): Promise<Done> {
  const done = { counts: createCounts(), withoutAddress: 0, line: 0 };
  let bytes = 0;
  for await (const { number, text = '' } of readLines(createReadStream(file), RESULT_LINES)) {
    const length = Buffer.byteLength(text) + 1;
    if (bytes + length > statSync(file).size) break;
    const result = parseResult(text);
    if (!result || result.line <= done.line)
      throw new Error(
        `Line ${number} of ${file} is not a result of this import: remove the file to start over, or pass another one with --results`,
      );
    done.counts[result.result]++;
    if (lacksAddress(result)) done.withoutAddress++;
    done.line = result.line;
    bytes += length;
  }
  truncateSync(file, bytes);
  return done;
}

function parseResult(text: string): RowResult | undefined {
  try {
    const result = JSON.parse(text);
    return Number.isInteger(result.line) && Object.hasOwn(createCounts(), result.result) ? result : undefined;
  } catch {
    return undefined;
  }
}
