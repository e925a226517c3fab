import { pause } from '../../../../lib/client/transport.ts';
import { importRows } from '../../../transfer/import-rows.ts';
import { Pace } from '../../../transfer/pace.ts';
import { type RowOptions, readRows } from '../../../transfer/rows.ts';
import { openServiceTarget } from '../../../transfer/service-target.ts';
import { createTransferClient } from '../api/client.ts';
import { rememberCreated } from '../api/users.ts';
import { type ImportFile, readBytes } from './import-file.ts';
import { beginImport, endImport } from './import-id.ts';
import { Results } from './results.ts';
import { type ImportProgress, importing } from './state.ts';

/** `Pace` decides on retries. */
const client = createTransferClient(1);

type Settings = {
  source: ImportFile;
  options: RowOptions;
  updates: boolean;
  total: number | undefined;
};

export class Import {
  readonly settings: Settings;
  readonly results = new Results();
  readonly #importId: string;
  #stopping = new AbortController();
  #paused: PromiseWithResolvers<void> | undefined;
  #measure = startMeter(0);

  constructor(settings: Settings) {
    this.settings = settings;
    this.#importId = beginImport(settings.source.file);
  }

  /** Continues after the last row that has a result. */
  async run(): Promise<void> {
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    const { source, options, updates, total } = this.settings;
    const target = openServiceTarget(client, { update: updates, importId: this.#importId });
    let readPart = 0;
    const onRead = (part: number) => {
      readPart = part;
    };
    const pace = new Pace({
      maxLimit: target.maxParallel,
      isBusy: target.isBusy,
      signal,
      pause: (ms, error) => {
        this.#show({ waitsFor: (error as Error).message });
        return pause(ms, signal);
      },
    });
    const write: typeof target.write = async (rows) => {
      await this.#paused?.promise;
      signal.throwIfAborted();
      const results = await target.write(rows);
      for (const row of results) if (row.result === 'created') rememberCreated(row.id);
      return results;
    };
    const onProgress = () => {
      const { rows } = this.results;
      const part = total === undefined ? readPart : rows / total;
      this.#show({ part, waitsFor: undefined, ...this.#measure(rows, part) });
    };
    // Ends a pause: the import may have failed while it was paused.
    this.resume();
    try {
      const isComplete = await importRows(readRows(readBytes(source, onRead, signal), options, source.text), {
        target: { ...target, write },
        pace,
        results: this.results,
        signal,
        onProgress,
      });
      if (isComplete) endImport(source.file);
      this.#show(isComplete ? { status: 'done', part: 1 } : { status: 'stopped' });
    } catch (error) {
      this.#show(signal.aborted ? { status: 'stopped' } : { status: 'failed', error: (error as Error).message });
    } finally {
      this.#show({ waitsFor: undefined });
    }
  }

  pause(): void {
    this.#paused ??= Promise.withResolvers();
    this.#show({ status: 'paused' });
  }

  resume(): void {
    this.#paused?.resolve();
    this.#paused = undefined;
    this.#measure = startMeter(this.results.rows);
    this.#show({ status: 'running', error: undefined });
  }

  /** Running requests finish, and their rows get results. */
  stop(): void {
    this.#stopping.abort();
    this.resume();
    this.#show({ status: 'stopping' });
  }

  #show(changes: Partial<ImportProgress>): void {
    const { rows, counts, rejected } = this.results;
    const results = { rows, counts: { ...counts }, rejected: [...rejected] };
    importing.set(({ step, ...all }) => ({
      ...all,
      step: {
        name: 'import',
        current: this,
        progress: { ...(step.name === 'import' ? step.progress : BEGUN), ...results, ...changes },
      },
    }));
  }
}

const BEGUN = {
  status: 'running',
  part: 0,
  rate: 0,
  secondsLeft: undefined,
  waitsFor: undefined,
  error: undefined,
} as const;

function startMeter(firstRows: number) {
  const startedAt = performance.now();
  let firstPart: number | undefined;
  return (rows: number, part: number): Pick<ImportProgress, 'rate' | 'secondsLeft'> => {
    const seconds = (performance.now() - startedAt) / 1000;
    // Excludes rows of a previous run, which are skipped at once.
    firstPart ??= part;
    const done = part - firstPart;
    return { rate: (rows - firstRows) / seconds, secondsLeft: done > 0 ? (seconds * (1 - part)) / done : undefined };
  };
}
