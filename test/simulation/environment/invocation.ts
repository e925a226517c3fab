import { AsyncLocalStorage } from 'node:async_hooks';
import type { Fault } from '../options.ts';
import { createRandom, type Random } from '../random.ts';
import type { World } from '../world.ts';

/** One call of a handler, in an environment with a separate clock. It may die anywhere, and then does nothing more. */
export type Invocation = {
  id: string;
  world: World;
  random: Random;
  /** Which function, and which of its environments: each has a budget of retries. */
  environment: string;
  /** How far its clock is off, in ms. */
  skew: number;
  /** How many requests it has sent. */
  requests: number;
  /** The faults that its requests met. */
  faults: Fault[];
  dead: boolean;
  die(cause: 'crashed' | 'timed out'): void;
};

const current = new AsyncLocalStorage<Invocation>();

export const currentInvocation = () => current.getStore();

/** What came of an invocation, as who called it sees it. */
export type Ending<Result> = { result: Result } | { error: unknown } | { died: 'crashed' | 'timed out' };

/** Runs a handler until it ends, dies, or is over its time, in ms. */
export async function invoke<Result>(
  world: World,
  id: string,
  timeout: number,
  run: () => Promise<Result>,
): Promise<{ invocation: Invocation; ending: Ending<Result> }> {
  const random = createRandom(`${world.seed} ${id}`);
  const { environments, maxSkewMs } = world.options;
  const number = random.int(1, environments);
  const skew = createRandom(`${world.seed} environment ${number}`).int(-maxSkewMs, maxSkewMs);
  let died: (ending: Ending<Result>) => void;
  const death = new Promise<Ending<Result>>((resolve) => {
    died = resolve;
  });
  const invocation: Invocation = {
    id,
    world,
    random,
    environment: `${/^(subscriber|on-change|index)/.exec(id)?.[0] ?? 'api'} ${number}`,
    skew,
    requests: 0,
    faults: [],
    dead: false,
    die(cause) {
      invocation.dead = true;
      died({ died: cause });
    },
  };
  const cancel = world.clock.schedule(timeout, () => invocation.die('timed out'));
  const end = current.run(invocation, run).then(
    (result): Ending<Result> => ({ result }),
    (error): Ending<Result> => ({ error }),
  );
  const ending = await Promise.race([end, death]);
  cancel();
  // What it has left running is frozen with its environment.
  invocation.dead = true;
  return { invocation, ending };
}
