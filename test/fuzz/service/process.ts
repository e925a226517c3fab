import { logAsLambda } from '../../../infra/local/log.ts';
import { startService } from '../../../infra/local/service.ts';

/** What the service tells the process that started it. The order of messages is the order in which things happened. */
export type Message = { url: string } | { log: string } | { memory: number; rss: number };

const send = (message: Message) => void process.send?.(message);

// Through the same channel as the other messages, so that the lines of a request arrive before the next measurement.
process.stderr.write = ((text: string) => {
  send({ log: text });
  return true;
}) as typeof process.stderr.write; // The only signature that the log uses.
logAsLambda();

const service = await startService({
  port: 0,
  host: '127.0.0.1',
  data: '',
  memory: true,
  cors: ['https://app.example.org'],
});

process.on('message', (collectGarbage: boolean) => {
  if (collectGarbage) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  send({ memory: heapUsed + external, rss });
});
process.once('disconnect', async () => {
  await service.stop();
  process.exit(0);
});
send({ url: service.url });
