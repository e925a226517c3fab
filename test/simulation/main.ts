import { parseArgs } from 'node:util';
import { progressBar } from '../../infra/scripts/progress.ts';
import { mutantNames } from './mutants/mutants.ts';
import { run } from './run.ts';
import type { Failure, RunOptions } from './worker.ts';

const USAGE = `npm run simulate -- [--seed N | --fresh] [--histories M] [--workers W] [--mutant NAME] [--exclude IDS] [--trace] [--all]
Runs M histories (1000) from the seed N (1) on, or from a new one, in W processes (one per core), until one fails, or --all.
--exclude leaves operations and faults out, by their ids; --trace prints the whole history of the seed.
--mutant breaks the service on purpose, as test/simulation/mutants/ has it.

npm run simulate -- mutants [NAME...]
Runs the mutants of these names, or all: each has to fail within 3,000 histories.`;

/** A mutant (a deliberate bug) must fail within these. */
const MAX_HISTORIES_OF_MUTANT = 3_000;

try {
  const [command, ...names] = process.argv.slice(2);
  const isSuccess =
    command === 'mutants' ? await catchMutants(names) : await simulate(readOptions(process.argv.slice(2)));
  process.exitCode = isSuccess ? 0 : 1;
} catch (error) {
  console.error(`${(error as Error).message}\n${USAGE}`);
  process.exitCode = 2;
}

async function simulate(options: RunOptions): Promise<boolean> {
  const started = performance.now();
  const { done, failures } = await run(options, progressBar('histories', options.histories));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  for (const failure of failures) console.log(describe(failure, options));
  const violated = failures.filter(({ problems }) => problems.length > 0).length;
  console.log(`${done} histories in ${seconds} s, ${violated} with violations.`);
  return violated === 0;
}

async function catchMutants(names: string[]): Promise<boolean> {
  const chosen = names.length > 0 ? names : mutantNames;
  const showProgress = progressBar('mutants', chosen.length);
  let caught = 0;
  for (const [at, mutant] of chosen.entries()) {
    const { done, failures } = await run({ mutant, histories: MAX_HISTORIES_OF_MUTANT });
    const [failure] = failures;
    showProgress(at + 1);
    if (failure && (await failsWithout(failure))) return false;
    console.log(`${mutant}: ${failure ? `caught after ${done} histories, ${failure.problems[0]}` : 'MISSED'}`);
    if (failure) caught++;
  }
  console.log(`${caught} of ${chosen.length} mutants caught within ${MAX_HISTORIES_OF_MUTANT} histories.`);
  return caught === chosen.length;
}

/** True if the seed fails without the mutant: the failure then does not show that the mutant was found. */
async function failsWithout({ seed }: Failure): Promise<boolean> {
  const { failures } = await run({ seed, histories: 1, workers: 1 });
  if (failures.length > 0) console.log(`Seed ${seed} fails without any mutant, too: find out why first.`);
  return failures.length > 0;
}

function describe(
  { seed, problems, faults, excluded, trace }: Failure,
  { mutant, goesOn: isBrief }: RunOptions,
): string {
  const leftOut = excluded.length > 0 ? ` --exclude ${excluded.join(',')}` : '';
  return [
    ...(isBrief ? [] : [...trace, '']),
    `Seed ${seed}, faults:${faults.map(([id, fault]) => ` ${fault} (${id})`).join(',') || ' none'}`,
    ...problems.map((problem) => `  ✗ ${problem}`),
    `Replay: npm run simulate -- --seed ${seed}${mutant ? ` --mutant '${mutant}'` : ''} --trace${leftOut}`,
    '',
  ].join('\n');
}

/** Throws for unknown options. */
function readOptions(args: string[]): RunOptions {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: '1' },
      fresh: { type: 'boolean', default: false },
      histories: { type: 'string' },
      workers: { type: 'string' },
      mutant: { type: 'string' },
      exclude: { type: 'string', default: '' },
      trace: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
    },
  });
  const isReplay = values.trace || values.exclude !== '';
  return {
    seed: values.fresh ? Date.now() : wholeNumber('--seed', values.seed),
    histories: wholeNumber('--histories', values.histories ?? (isReplay ? '1' : '1000')),
    workers: values.workers === undefined ? undefined : wholeNumber('--workers', values.workers),
    mutant: values.mutant,
    excluded: values.exclude.split(',').filter(Boolean),
    trace: values.trace,
    shrinks: !isReplay && !values.all,
    records: false,
    goesOn: values.all,
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error(`${name} has to be a whole number, not ${text}`);
  return Number(text);
}
