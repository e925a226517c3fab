import { setUpLogs } from '../../../infra/local/logs.ts';
import { readOptions } from '../../../infra/local/options.ts';
import { startService } from '../../../infra/local/service.ts';

export type Message = { url: string } | { log: string } | Usage;

/** `memory`: bytes of heap and buffers now. `peak`: bytes of the whole process. `cpu`: ms. */
export type Usage = { memory: number; peak: number; cpu: number };

// Ignores the error if the fuzzer has ended.
const send = (message: Message) => void process.send?.(message, undefined, undefined, () => {});

// Send logs through the channel of the messages, so that they arrive before the next measurement.
process.stderr.write = ((text: string) => {
  send({ log: text });
  return true;
}) as typeof process.stderr.write; // The log uses only this signature.
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
