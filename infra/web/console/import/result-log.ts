import { createCounts, type ResultLog, type RowResult } from '../../../transfer/import-rows.ts';
import { TextParts } from '../download.ts';

export type Rejected = Extract<RowResult, { result: 'invalid' }>;

/** So many rejected rows are shown; the file of results has all. */
export const MAX_SHOWN = 100;

/** Counts results, and keeps the first rejected rows. */
export class ResultSummary implements ResultLog {
  readonly counts = createCounts();
  readonly rejected: Rejected[] = [];
  doneUpTo = 0;

  append(results: readonly RowResult[]): void {
    for (const result of results) {
      this.counts[result.result]++;
      this.doneUpTo = result.line;
      if (result.result === 'invalid' && this.rejected.length < MAX_SHOWN) this.rejected.push(result);
    }
  }

  get rows(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }
}

/** The results of rows in their order, one JSON object on each line, as `npm run import` writes them. */
export class ResultFile extends ResultSummary {
  readonly #text = new TextParts();

  override append(results: readonly RowResult[]): void {
    super.append(results);
    this.#text.append(results.map((result) => `${JSON.stringify(result)}\n`).join(''));
  }

  listParts = (): BlobPart[] => this.#text.list();
}
