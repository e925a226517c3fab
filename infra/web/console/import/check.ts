import { importRows } from '../../../transfer/import-rows.ts';
import { Pace } from '../../../transfer/pace.ts';
import { type RowOptions, readRows } from '../../../transfer/rows.ts';
import { type ImportFile, readBytes } from './import-file.ts';
import { type Rejected, Results } from './result-log.ts';

/** What a dry run has found so far. `part` is how much of the file was read, from 0 to 1. */
export type Check = { part: number; valid: number; invalid: number; rejected: readonly Rejected[]; isDone: boolean };

const REPORT_MS = 200;

/** Checks all rows as the import does, without writing any. Throws an error of one sentence for a file that cannot be read. */
export async function checkRows(
  source: ImportFile,
  options: RowOptions,
  onProgress: (check: Check) => void,
  signal: AbortSignal,
): Promise<void> {
  const results = new Results();
  const pace = new Pace({ maxLimit: 1, isBusy: () => false });
  const report = (part: number, isDone: boolean) => {
    const { valid, invalid } = results.counts;
    if (!signal.aborted) onProgress({ part, valid, invalid, rejected: [...results.rejected], isDone });
  };
  let reportedAt = performance.now();
  const chunks = readBytes(
    source,
    (part) => {
      if (performance.now() - reportedAt < REPORT_MS) return;
      reportedAt = performance.now();
      report(part, false);
    },
    signal,
  );
  await importRows(readRows(chunks, options), { target: undefined, pace, results, signal });
  report(1, true);
}
