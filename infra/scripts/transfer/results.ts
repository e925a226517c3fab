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
import { type Counts, createCounts, type ResultLog, type RowResult } from '../../transfer/import-rows.ts';
import { readLines } from '../../transfer/lines.ts';

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

  private constructor(file: string, state: ImportState, done: { counts: Counts; line: number } | undefined) {
    this.#file = file;
    [this.importId, this.startedAt] = [state.importId, state.startedAt];
    if (done) [this.counts, this.doneUpTo] = [done.counts, done.line];
    this.#descriptor = openSync(file, done ? 'a' : 'w');
  }

  /** Continues the results of an import with the same input that did not end; otherwise they begin again. */
  static async open(file: string, input: string | undefined): Promise<Results> {
    const state = readState(file);
    if (state && input !== undefined && state.input === input && existsSync(file))
      return new Results(file, state, await readDone(file));
    const begun = { input, importId: randomUUID(), startedAt: new Date().toISOString() };
    // The results of another import must not seem to be those of this one.
    rmSync(file, { force: true });
    writeState(file, begun);
    return new Results(file, begun, undefined);
  }

  append(results: readonly RowResult[]): void {
    for (const { result } of results) this.counts[result]++;
    if (results.length > 0)
      writeSync(this.#descriptor, results.map((result) => `${JSON.stringify(result)}\n`).join(''));
  }

  close({ isComplete }: { isComplete: boolean }): void {
    closeSync(this.#descriptor);
    if (isComplete) rmSync(getStateFile(this.#file), { force: true });
  }
}

const getStateFile = (file: string) => `${file}.state`;

function readState(file: string): ImportState | undefined {
  try {
    return JSON.parse(readFileSync(getStateFile(file), 'utf8'));
  } catch {
    // There is none, and no run to continue.
    return undefined;
  }
}

/** Writes the file, then renames it: a crash leaves a whole one, or none. */
function writeState(file: string, state: ImportState): void {
  const target = getStateFile(file);
  writeFileSync(`${target}.new`, JSON.stringify(state));
  renameSync(`${target}.new`, target);
}

/** A run that was killed may leave a part of a line at the end, which is cut off. */
async function readDone(file: string): Promise<{ counts: Counts; line: number }> {
  const done = { counts: createCounts(), line: 0 };
  let bytes = 0;
  for await (const { text = '' } of readLines(createReadStream(file), Number.POSITIVE_INFINITY)) {
    const length = Buffer.byteLength(text) + 1;
    if (bytes + length > statSync(file).size) break;
    const { line, result }: RowResult = JSON.parse(text);
    done.counts[result]++;
    done.line = line;
    bytes += length;
  }
  truncateSync(file, bytes);
  return done;
}
