import { parseArgs } from 'node:util';

export const USAGE = `npm run simulate -- [--seed N] [--histories M] [--workers W] [--mutant NAME] [--without IDS] [--trace]
Runs M histories (1000) from the seed N (1) on, in W processes (one per core), until one fails.
--without leaves operations and faults out, by their ids; --trace prints the whole history of the seed.
--mutant breaks the service on purpose, as test/simulation/mutants/ has it.`;

export type Options = {
  seed: number;
  histories: number;
  workers: number | undefined;
  mutant: string | undefined;
  without: string[];
  trace: boolean;
  /** Whether a history that fails is shrunk. */
  shrinks: boolean;
  /** Whether the requests that the database executed are told. */
  records: boolean;
};

/** Throws for what is no option, with how it is meant. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: '1' },
      histories: { type: 'string' },
      workers: { type: 'string' },
      mutant: { type: 'string' },
      without: { type: 'string', default: '' },
      trace: { type: 'boolean', default: false },
    },
  });
  const isReplay = values.trace || values.without !== '';
  return {
    seed: wholeNumber('--seed', values.seed),
    histories: wholeNumber('--histories', values.histories ?? (isReplay ? '1' : '1000')),
    workers: values.workers === undefined ? undefined : wholeNumber('--workers', values.workers),
    mutant: values.mutant,
    without: values.without.split(',').filter(Boolean),
    trace: values.trace,
    shrinks: !isReplay,
    records: false,
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error(`${name} has to be a whole number, not ${text}`);
  return Number(text);
}
