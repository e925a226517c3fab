export type Summary = { median: number; lower: number; upper: number; p99: number; values: number[] };

/** Median, quartiles and 99th percentile. */
export function summarize(values: number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  return { median: at(0.5), lower: at(0.25), upper: at(0.75), p99: at(0.99), values };
}

/** The median of the ratios within a round, which what else happens on the machine affects least. */
export const medianRatio = (one: Summary, base: Summary): number =>
  summarize(one.values.map((value, round) => value / (base.values[round] ?? Number.NaN))).median;

/** Summarizes one number of each measurement. */
export const summarizeBy = <Value>(values: Value[], read: (value: Value) => number): Summary =>
  summarize(values.map(read));
