import { setUpLogs } from '../../../infra/local/logs.ts';
import { readOptions } from '../../../infra/local/options.ts';
import { startService } from '../../../infra/local/service.ts';

/** Messages of the service to its parent process, in order of the events. */
export type Message = { url: string } | { log: string } | Usage;

/** `memory`: bytes of heap and buffers now. `peak`: maximum bytes of the whole process. `cpu`: CPU time in ms. */
export type Usage = { memory: number; peak: number; cpu: number };

// The empty callback ignores send errors, which occur if the fuzzer has ended.
const send = (message: Message) => void process.send?.(message, undefined, undefined, () => {});

// Logs use the same channel as other messages, so the lines of a request arrive before the next measurement.
process.stderr.write = ((text: string) => {
  send({ log: text });
  return true;
}) as typeof process.stderr.write; // `write` has other signatures, but the log uses only this one.
setUpLogs(false);

const options = readOptions(['--port', '0', '--memory', '--cors', 'https://app.example.org'], {});
const service = await startService(options);

process.on('message', (collectGarbage: boolean) => {
  if (collectGarbage) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  send({ memory: heapUsed + external, peak: maxRSS * 1024, cpu: (userCPUTime + systemCPUTime) / 1000 });
});
process.once('disconnect', async () => {
  await service.stop();
  process.exit(0);
});
send({ url: service.url });
