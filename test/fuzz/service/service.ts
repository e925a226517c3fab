import { type ChildProcess, fork } from 'node:child_process';
import { GENEROUS_TIME_LIMITS } from '../../setup/time-limits.ts';
import { FIELDS_FILE } from '../own-fields.ts';
import type { Message, Usage } from './process.ts';

/** 90 % of the function's memory, as on Lambda. */
const MAX_HEAP_MB = 922;
/** The web function's limit. */
const MAX_HEADER_BYTES = 32 * 1024;

export type Service = {
  url: string;
  /** Returns the log lines since the last call, including all lines of answered requests. */
  takeLog(): Promise<string[]>;
  readUsage(): Promise<Usage>;
  readUsageWithoutGarbage(): Promise<Usage>;
  stop(): Promise<void>;
};

/** Starts the service in a separate process, so that measurements exclude the fuzzer's memory. */
export async function startFuzzedService(): Promise<Service> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = fork(new URL('process.ts', import.meta.url), {
    execArgv: ['--expose-gc', `--max-old-space-size=${MAX_HEAP_MB}`, `--max-http-header-size=${MAX_HEADER_BYTES}`],
    // Ctrl-C ends only the fuzzer, which then stops the service.
    detached: true,
    env: { PATH, NODE_COMPILE_CACHE, FIELDS_FILE, ...GENEROUS_TIME_LIMITS },
  });
  let log: string[] = [];
  child.on('message', (message: Message) => {
    if ('log' in message) log.push(...message.log.split('\n').filter(Boolean));
  });
  const exited = new Promise<never>((_, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`The service ended with ${code ?? signal}`)));
  });
  exited.catch(() => {});
  const ask = (collectGarbage: boolean) => {
    // Ignore the error of an ended service: `exited` reports it.
    child.send(collectGarbage, () => {});
    return Promise.race([receive<Usage>(child, 'memory'), exited]);
  };
  const { url } = await Promise.race([receive<{ url: string }>(child, 'url'), exited]);
  return {
    url,
    async takeLog() {
      await ask(false);
      const lines = log;
      log = [];
      return lines;
    },
    readUsage: () => ask(false),
    readUsageWithoutGarbage: () => ask(true),
    async stop() {
      if (!child.connected) return;
      child.disconnect();
      await exited.catch(() => {});
    },
  };
}

const receive = <Received extends Message>(child: ChildProcess, member: string): Promise<Received> =>
  new Promise((resolve) => {
    const take = (message: Message) => {
      if (!(member in message)) return;
      child.off('message', take);
      resolve(message as Received); // The member's name identifies the type.
    };
    child.on('message', take);
  });
