import { setUpLogs } from '../../../infra/local/logs.ts';
import { readOptions } from '../../../infra/local/options.ts';
import { startService } from '../../../infra/local/service.ts';

/** The service sends these to the process that started it. The order of messages is the order in which things happened. */
export type Message = { url: string } | { log: string } | Usage;

/** Bytes of the heap and of buffers now, and of the whole process at its largest; CPU time in ms. */
export type Usage = { memory: number; peak: number; cpu: number };

// The callback handles the error of a line that is logged after the fuzzer has left.
const send = (message: Message) => void process.send?.(message, undefined, undefined, () => {});

// Through the same channel as the other messages, so that the lines of a request arrive before the next measurement.
process.stderr.write = ((text: string) => {
  send({ log: text });
  return true;
}) as typeof process.stderr.write; // The only signature that the log uses.
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
