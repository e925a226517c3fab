import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { GENEROUS_TIME_LIMITS } from '../../../test/setup/time-limits.ts';

export type Methods = Record<string, (input: never) => unknown>;

export type Worker<Served extends Methods> = {
  call<Name extends keyof Served & string>(
    name: Name,
    input: Parameters<Served[Name]>[0],
  ): Promise<Awaited<ReturnType<Served[Name]>>>;
  stop(): Promise<void>;
};

type Call = { id: number; name: string; input: unknown };
type Answer = { id: number; result?: unknown; error?: string };

/** Starts a separate process, so that its CPU time and memory are not measured with the servers. */
export function startWorker<Served extends Methods>(file: string): Worker<Served> {
  const env = { ...process.env, ...GENEROUS_TIME_LIMITS };
  const child = fork(join(import.meta.dirname, file), { serialization: 'advanced', env });
  const ended = once(child, 'exit');
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  child.on('message', ({ id, result, error }: Answer) => {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error) reject?.(new Error(`${file}: ${error}`));
    else resolve?.(result);
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} has ended`));
  });
  return {
    call(name, input) {
      const id = ++lastId;
      const answer = Promise.withResolvers<unknown>();
      waiting.set(id, answer);
      child.send({ id, name, input } satisfies Call);
      return answer.promise as never; // Each served method returns its own result type.
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

export function serve(methods: Methods): void {
  process.on('message', async ({ id, name, input }: Call) => {
    try {
      // Cast: the caller passes the input that the type of the method requires.
      const result = await methods[name]?.(input as never);
      process.send?.({ id, result } satisfies Answer);
    } catch (error) {
      process.send?.({ id, error: String(error) } satisfies Answer);
    }
  });
  process.once('disconnect', () => process.exit());
}
