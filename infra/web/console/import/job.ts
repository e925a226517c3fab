import { createClient } from '../../../../lib/client/client.ts';
import { pause } from '../../../../lib/client/transport.ts';
import { importRows } from '../../../transfer/import-rows.ts';
import { Pace } from '../../../transfer/pace.ts';
import { type RowOptions, readRows } from '../../../transfer/rows.ts';
import { openServiceTarget } from '../../../transfer/service-target.ts';
import { rememberCreated } from '../api/users.ts';
import { authorizeFetch } from '../auth/authorized-fetch.ts';
import { type ImportFile, readBytes } from './import-file.ts';
import { beginImport, endImport } from './import-id.ts';
import { createRejectedFile } from './rejected-file.ts';
import { ResultFile } from './result-log.ts';
import { type Job, job } from './state.ts';

const update = (changes: Partial<Job>): void => job.set((current) => current && { ...current, ...changes });

/** Its requests are not among those that the page shows: there are thousands. The pace decides about each further attempt. */
const client = createClient({ baseUrl: '', fetch: authorizeFetch(fetch), retries: { maxAttempts: 1 } });

type Settings = {
  source: ImportFile;
  options: RowOptions;
  /** Users who exist are changed to what their rows say. */
  updates: boolean;
  /** The number of rows, once they have been checked. */
  total: number | undefined;
};

/** Imports a file into the service. It can be paused, stopped and continued. */
class Import {
  readonly results = new ResultFile();
  readonly #settings: Settings;
  readonly #importId: string;
  #stopping = new AbortController();
  #paused: PromiseWithResolvers<void> | undefined;
  #meter: Meter | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#importId = beginImport(settings.source.file);
  }

  get source(): ImportFile {
    return this.#settings.source;
  }

  /** Begins, or continues after the last row that has a result. */
  async run(): Promise<void> {
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    const { source, options, updates, total } = this.#settings;
    const target = openServiceTarget(client, { update: updates, importId: this.#importId });
    let readPart = 0;
    const chunks = readBytes(
      source,
      (read) => {
        readPart = read;
      },
      signal,
    );
    const meter = new Meter(this.results.rows);
    this.#meter = meter;
    const pace = new Pace({
      maxLimit: target.maxParallel,
      isBusy: target.isBusy,
      signal,
      pause: (ms, error) => {
        update({ waitsFor: (error as Error).message });
        return pause(ms, signal);
      },
    });
    const write: typeof target.write = async (rows) => {
      await this.#paused?.promise;
      // It may have been stopped during the pause.
      signal.throwIfAborted();
      const results = await target.write(rows);
      for (const row of results) if (row.result === 'created') rememberCreated(row.id);
      return results;
    };
    const onProgress = () => {
      const { rows } = this.results;
      const part = total === undefined ? readPart : rows / total;
      update({ part, waitsFor: undefined, ...this.#summarize(), ...meter.measure(rows, part) });
    };
    update({ status: 'running', error: undefined });
    addEventListener('beforeunload', askBeforeClosing);
    try {
      const rows = readRows(chunks, options);
      const isComplete = await importRows(rows, {
        target: { ...target, write },
        pace,
        results: this.results,
        signal,
        onProgress,
      });
      if (isComplete) endImport(source.file);
      update({ status: isComplete ? 'done' : 'stopped', ...(isComplete ? { part: 1 } : {}), ...this.#summarize() });
    } catch (error) {
      update(signal.aborted ? { status: 'stopped' } : { status: 'failed', error: (error as Error).message });
    } finally {
      update({ waitsFor: undefined });
      removeEventListener('beforeunload', askBeforeClosing);
    }
  }

  pause(): void {
    this.#paused ??= Promise.withResolvers();
    this.#meter?.pause();
    update({ status: 'paused' });
  }

  resume(): void {
    this.#paused?.resolve();
    this.#meter?.resume();
    this.#paused = undefined;
    update({ status: 'running' });
  }

  /** What is under way gets its results. */
  stop(): void {
    this.#stopping.abort();
    this.resume();
    update({ status: 'stopping' });
  }

  #summarize = (): Pick<Job, 'rows' | 'counts' | 'rejected'> => ({
    rows: this.results.rows,
    counts: { ...this.results.counts },
    rejected: [...this.results.rejected],
  });
}

/** Some browsers show the question only if a value is set. */
const askBeforeClosing = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Measures rows a second, and the time that is left at that rate, without pauses. */
class Meter {
  readonly #rows: number;
  /** The start, moved on by the duration of each pause. */
  #startedAt = performance.now();
  #pausedAt: number | undefined;
  #part: number | undefined;

  constructor(rows: number) {
    this.#rows = rows;
  }

  pause(): void {
    this.#pausedAt ??= performance.now();
  }

  resume(): void {
    if (this.#pausedAt !== undefined) this.#startedAt += performance.now() - this.#pausedAt;
    this.#pausedAt = undefined;
  }

  measure(rows: number, part: number): Pick<Job, 'rate' | 'secondsLeft'> {
    const seconds = ((this.#pausedAt ?? performance.now()) - this.#startedAt) / 1000;
    // An import that continues passes at once what was done before.
    this.#part ??= part;
    const done = part - this.#part;
    return { rate: (rows - this.#rows) / seconds, secondsLeft: done > 0 ? (seconds * (1 - part)) / done : undefined };
  }
}

let current: Import | undefined;

export function startImport(settings: Settings): void {
  const begun = new Import(settings);
  current = begun;
  job.set(() => ({
    status: 'running',
    fileName: settings.source.file.name,
    part: 0,
    rows: 0,
    counts: begun.results.counts,
    rejected: [],
    rate: 0,
    secondsLeft: undefined,
    waitsFor: undefined,
    error: undefined,
  }));
  begun.run();
}

export const pauseImport = (): void => current?.pause();
export const resumeImport = (): void => current?.resume();
export const stopImport = (): void => current?.stop();
export const continueImport = (): Promise<void> | undefined => current?.run();
export const listResultParts = (): BlobPart[] => current?.results.listParts() ?? [];
/** The file may have been changed or deleted since. */
export const listRejectedParts = async (): Promise<BlobPart[]> =>
  current ? createRejectedFile(current.source, new Blob(listResultParts())) : [];

/** Leaves nothing of an import that has ended. */
export function forgetImport(): void {
  current = undefined;
  job.set(() => undefined);
}
