import { progressBar } from '../../infra/scripts/progress.ts';
import { readOptions, USAGE } from './options.ts';
import { run } from './run.ts';

try {
  const options = readOptions(process.argv.slice(2));
  const started = performance.now();
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const { sent, statuses, worst, memory, failure } = await run(
    options,
    progressBar('requests', options.requests),
    interrupted.signal,
  );
  if (failure) console.log(failure);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  console.log(
    `${sent} requests with seed ${options.seed} in ${seconds} s: ${failure ? 'a bound was broken' : 'no bound was broken'}.
${counts.join(', ')}
Largest response ${worst.bytes} bytes, most expensive request ${worst.units} units, longest wait ${worst.wait} ms${memory ? `, memory ${memory}` : ''}.`,
  );
  process.exitCode = failure ? 1 : 0;
} catch (error) {
  console.error(`${(error as Error).message}\n${USAGE}`);
  process.exitCode = 2;
}
