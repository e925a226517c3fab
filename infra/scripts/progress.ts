import { formatDuration } from '../transfer/duration.ts';

const LINE_MS = 10_000;
const BAR_MS = 200;

/** `part`: share of the input, from 0 to 1, if it is not `count / of`. */
type Progress = { count: number; of?: number; part?: number | undefined };

type Output = { isTTY?: boolean; write(text: string): unknown };

/** On a terminal, a line that changes. Elsewhere, one line in ten seconds. */
export class ProgressReport {
  readonly #unit: string;
  readonly #output: Output;
  readonly #now: () => number;
  readonly #startedAt: number;
  #first: { count: number; part: number } | undefined;
  #shownAt: number;
  #warnedAt: number | undefined;

  /** `unit`: in the plural, such as `rows`. */
  constructor(unit: string, output: Output = process.stderr, now: () => number = () => performance.now()) {
    [this.#unit, this.#output, this.#now] = [unit, output, now];
    this.#startedAt = this.#shownAt = now();
  }

  update({ count, of, part = of && count / of }: Progress): void {
    // The first progress may include rows of earlier runs, which the rate excludes.
    this.#first ??= { count, part: part ?? 0 };
    const isTerminal = this.#output.isTTY ?? false;
    if (this.#now() - this.#shownAt < (isTerminal ? BAR_MS : LINE_MS)) return;
    this.#shownAt = this.#now();
    const line = this.#format(count, part, isTerminal);
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

  #format(count: number, part: number | undefined, isTerminal: boolean): string {
    const seconds = (this.#now() - this.#startedAt) / 1000;
    const first = this.#first ?? { count: 0, part: 0 };
    const rate = (count - first.count) / seconds;
    const read = (part ?? 0) - first.part;
    const left = part === undefined || read <= 0 ? undefined : (seconds * (1 - part)) / read;
    const shown = part === undefined ? [] : [isTerminal ? formatBar(part) : `${Math.floor(part * 100)} %`];
    const texts = [`${count.toLocaleString('en')} ${this.#unit}`, `${Math.round(rate).toLocaleString('en')} a second`];
    return [...shown, ...texts, ...(left === undefined ? [] : [`${formatDuration(left)} left`])].join(', ');
  }
}

const WIDTH = 30;

function formatBar(part: number): string {
  const filled = Math.round(part * WIDTH);
  return `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${Math.floor(part * 100)} %`;
}

export function progressBar(unit: string, of: number): (count: number) => void {
  const report = new ProgressReport(unit);
  return (count) => {
    report.update({ count, of });
    if (count >= of) report.end();
  };
}
