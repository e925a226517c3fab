import { createCounts, type ResultLog, type RowResult } from '../../../transfer/import-rows.ts';
import { TextParts } from '../download.ts';

export type Rejected = Extract<RowResult, { result: 'invalid' }>;

export const MAX_SHOWN = 100;

/** Writes NDJSON in the format of `npm run import`. */
export class Results implements ResultLog {
  readonly counts = createCounts();
  readonly rejected: Rejected[] = [];
  readonly #text = new TextParts();
  doneUpTo = 0;

  append(results: readonly RowResult[]): void {
    for (const result of results) {
      this.counts[result.result]++;
      this.doneUpTo = result.line;
      if (result.result === 'invalid' && this.rejected.length < MAX_SHOWN) this.rejected.push(result);
      if (result.result !== 'valid') this.#text.append(`${JSON.stringify(result)}\n`);
    }
  }

  get rows(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  listParts = (): BlobPart[] => this.#text.list();
}
