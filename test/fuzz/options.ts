import { parseArgs } from 'node:util';

export const USAGE = `npm run fuzz -- [--seed N] [--requests M] [--path P]
Sends M generated requests (5000) from the seed N (1) to the local service, until one breaks a bound.
--path repeats the requests of a failure, as the failure prints it.`;

export type Options = { seed: number; requests: number; path: string | undefined };

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: '1' },
      requests: { type: 'string', default: '5000' },
      path: { type: 'string' },
    },
  });
  return {
    seed: parseWholeNumber('--seed', values.seed),
    requests: parseWholeNumber('--requests', values.requests),
    path: values.path,
  };
}

function parseWholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a whole number, not ${text}`);
  return Number(text);
}
