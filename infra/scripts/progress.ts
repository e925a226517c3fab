import { formatDuration } from '../transfer/duration.ts';

/** Shows nothing unless standard error is a terminal. */
export function progressBar(label: string, of: number): (done: number) => void {
  if (!process.stderr.isTTY) return () => {};
  let shown = '';
  return (done) => {
    const part = of === 0 ? 1 : Math.min(1, done / of);
    const line = `${label} ${formatBar(part)}`;
    if (line !== shown) process.stderr.write(`\r${line}${part === 1 ? '\n' : ''}`);
    shown = line;
  };
}

const LINE_MS = 10_000;
const BAR_MS = 200;

/** `part`: share of the input, from 0 to 1. Undefined if its size is unknown. */
export type Progress = { rows: number; part: number | undefined };

type Output = { isTTY?: boolean; write(text: string): unknown };

export class ProgressReport {
  readonly #output: Output;
  readonly #now: () => number;
  readonly #startedAt: number;
  #first: Progress | undefined;
  #shownAt: number;
  #warnedAt: number | undefined;

  constructor(output: Output = process.stderr, now: () => number = () => performance.now()) {
    [this.#output, this.#now] = [output, now];
    this.#startedAt = this.#shownAt = now();
  }

  update(progress: Progress): void {
    // The first progress may include rows of earlier runs, which the rate excludes.
    this.#first ??= progress;
    const isTerminal = this.#output.isTTY ?? false;
    if (this.#now() - this.#shownAt < (isTerminal ? BAR_MS : LINE_MS)) return;
    this.#shownAt = this.#now();
    const line = this.#format(progress, isTerminal);
    // \u001b[K clears the rest of a longer previous text.
    this.#output.write(isTerminal ? `\r${line}\u001b[K` : `${line}\n`);
  }

  /** Prints at most one warning in ten seconds. */
  warn(text: string): void {
    if (this.#warnedAt !== undefined && this.#now() - this.#warnedAt < LINE_MS) return;
    this.#warnedAt = this.#now();
    this.end();
    this.#output.write(`${text}\n`);
  }

  end(): void {
    if (this.#output.isTTY) this.#output.write('\r\u001b[K');
  }

  #format({ rows, part }: Progress, isTerminal: boolean): string {
    const seconds = (this.#now() - this.#startedAt) / 1000;
    const first = this.#first ?? { rows: 0, part: 0 };
    const rate = (rows - first.rows) / seconds;
    const read = (part ?? 0) - (first.part ?? 0);
    const left = part === undefined || read <= 0 ? undefined : (seconds * (1 - part)) / read;
    const shown = part === undefined ? [] : [isTerminal ? formatBar(part) : `${Math.floor(part * 100)} %`];
    const texts = [`${rows.toLocaleString('en')} rows`, `${Math.round(rate).toLocaleString('en')} a second`];
    return [...shown, ...texts, ...(left === undefined ? [] : [`${formatDuration(left)} left`])].join(', ');
  }
}

const WIDTH = 30;

function formatBar(part: number): string {
  const filled = Math.round(part * WIDTH);
  return `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${Math.floor(part * 100)} %`;
}
