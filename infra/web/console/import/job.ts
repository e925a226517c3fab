import { pause } from '../../../../lib/client/transport.ts';
import { formatDuration } from '../../../transfer/duration.ts';
import { importRows } from '../../../transfer/import-rows.ts';
import { Pace } from '../../../transfer/pace.ts';
import type { RowOptions } from '../../../transfer/rows.ts';
import { openServiceTarget } from '../../../transfer/service-target.ts';
import { createTransferClient } from '../api/client.ts';
import { rememberCreated } from '../api/users.ts';
import { type Control, runJob } from '../jobs.ts';
import { listFieldNames } from '../own-fields.ts';
import type { ImportFile } from './import-file.ts';
import { beginImport, endImport } from './import-id.ts';
import { Results } from './results.ts';
import { importing } from './state.ts';
import { readUserRows } from './user-rows.ts';

/** `Pace` decides on retries. Selects own fields, because rows are compared with the users. */
export const client = createTransferClient(1, listFieldNames());

type Settings = {
  source: ImportFile;
  options: RowOptions;
  updates: boolean;
  total: number | undefined;
};

export async function startImport({ source, options, updates, total }: Settings): Promise<void> {
  const results = new Results();
  const target = openServiceTarget(client, { update: updates, importId: beginImport(source.file) });
  /** Continues after the last row that has a result. */
  const attempt = async ({ signal, report, proceed }: Control) => {
    let readPart = 0;
    let measure = startMeter(results.rows);
    const onRead = (part: number) => {
      readPart = part;
    };
    const pace = new Pace({
      maxLimit: target.maxParallel,
      isBusy: target.isBusy,
      signal,
      pause: (ms, error) => {
        report({ waitsFor: (error as Error).message });
        return pause(ms, signal);
      },
    });
    const write: typeof target.write = async (rows) => {
      if (await proceed()) measure = startMeter(results.rows);
      const written = await target.write(rows);
      for (const row of written) if (row.result === 'created') rememberCreated(row.id);
      return written;
    };
    const onProgress = () => {
      const { rows } = results;
      const part = total === undefined ? readPart : rows / total;
      report({ done: rows, part, waitsFor: undefined, note: measure(rows, part) });
    };
    await importRows(readUserRows(source, options, onRead, signal), {
      target: { ...target, write },
      pace,
      results,
      signal,
      onProgress,
    });
    signal.throwIfAborted();
    endImport(source.file);
  };
  const run = async () => {
    const current = { source, results, run };
    importing.set((all) => ({ ...all, step: { name: 'import', current } }));
    const ended = await runJob({ kind: 'Import', label: 'Importing', noun: 'row', total }, attempt);
    // The person may have chosen another file since.
    importing.set((all) =>
      all.step.name === 'import' && all.step.current === current ? { ...all, step: { ...all.step, ended } } : all,
    );
  };
  return run();
}

/** Excludes rows of a previous attempt, which are skipped at once. */
function startMeter(firstRows: number) {
  const startedAt = performance.now();
  let firstPart: number | undefined;
  return (rows: number, part: number): string => {
    const seconds = (performance.now() - startedAt) / 1000;
    firstPart ??= part;
    const done = part - firstPart;
    const rate = `${Math.round((rows - firstRows) / seconds).toLocaleString('en')} a second`;
    return done > 0 ? `${rate}, ${formatDuration((seconds * (1 - part)) / done)} left` : rate;
  };
}
