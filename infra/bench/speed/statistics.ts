/** `lower` and `upper`: first and third quartile. `p99`: 99th percentile. */
export type Summary = { median: number; lower: number; upper: number; p99: number; values: number[] };

export function summarize(values: number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  return { median: at(0.5), lower: at(0.25), upper: at(0.75), p99: at(0.99), values };
}

export type Ratio = { median: number; lowest: number; highest: number };

/**
 * Divides values of the same round, because other load on the machine affects both alike. Uses the median ratio of each
 * run.
 */
export function compareRuns(one: Summary, base: Summary, runs: number): Ratio {
  const ratios = one.values.map((value, index) => value / (base.values[index] ?? Number.NaN));
  const length = ratios.length / runs;
  const ofRuns = Array.from({ length: runs }, (_, run) => summarize(ratios.slice(run * length, (run + 1) * length)));
  const sorted = ofRuns.map(({ median }) => median).toSorted((a, b) => a - b);
  return { median: summarize(sorted).median, lowest: sorted[0] ?? Number.NaN, highest: sorted.at(-1) ?? Number.NaN };
}

export const summarizeBy = <Value>(values: Value[], read: (value: Value) => number): Summary =>
  summarize(values.map(read));
