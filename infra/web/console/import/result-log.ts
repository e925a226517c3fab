import { createCounts, type ResultLog, type RowResult } from '../../../transfer/import-rows.ts';

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

/** The text becomes a blob, which the browser keeps outside of the memory of the page. */
const BLOB_LENGTH = 256 * 1024;

/** The results of rows in their order, one JSON object on each line, as `npm run import` writes them. */
export class ResultFile extends ResultSummary {
  readonly #blobs: Blob[] = [];
  #text = '';

  override append(results: readonly RowResult[]): void {
    super.append(results);
    this.#text += results.map((result) => `${JSON.stringify(result)}\n`).join('');
    if (this.#text.length < BLOB_LENGTH) return;
    this.#blobs.push(new Blob([this.#text]));
    this.#text = '';
  }

  listParts = (): BlobPart[] => [...this.#blobs, this.#text];
}
