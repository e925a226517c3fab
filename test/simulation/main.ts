import { progressBar } from '../../infra/scripts/progress-bar.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { run } from './run.ts';
import type { Failure } from './worker.ts';

try {
  const options = readOptions(process.argv.slice(2));
  const started = performance.now();
  const { done, failure } = await run(options, progressBar('Histories', options.histories));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (failure) console.log(describe(failure, options));
  console.log(
    `${done} histories in ${seconds} s, ${failure?.problems.length ? 'the last with violations' : '0 violations'}.`,
  );
  process.exitCode = failure?.problems.length ? 1 : 0;
} catch (error) {
  console.error(`${(error as Error).message}\n${USAGE}`);
  process.exitCode = 2;
}

function describe({ seed, problems, faults, without, trace }: Failure, { mutant }: Options): string {
  const leftOut = without.length > 0 ? ` --without ${without.join(',')}` : '';
  return [
    ...trace,
    '',
    `Seed ${seed}, faults:${faults.map(([id, fault]) => ` ${fault} (${id})`).join(',') || ' none'}`,
    ...problems.map((problem) => `  ✗ ${problem}`),
    `Replay: npm run simulate -- --seed ${seed}${mutant ? ` --mutant ${mutant}` : ''} --trace${leftOut}`,
    '',
  ].join('\n');
}
