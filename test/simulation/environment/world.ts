import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database } from '../database/database.ts';
import type { EventBus } from '../network/event-bus.ts';
import type { Network } from '../network/network.ts';
import type { Fault, FaultOptions } from '../options.ts';
import { createRandom, type Random } from '../random.ts';

/** The state shared by all parts of one history (a simulated run of clients, functions and database). */
export type World = {
  seed: string;
  clock: Clock;
  database: Database;
  bus: EventBus;
  network: Network;
  /** The current rates of faults. NO_FAULTS after the clients have finished. */
  options: FaultOptions;
  /** Number of stream records before the switch to a restored table. Undefined before the switch. */
  restoredAt: number | undefined;
  /** Operations and faults to skip, by id, to shrink a history. */
  excluded: Set<string>;
  /** The SDK's request timeout, in ms. */
  requestTimeout: number;
  report(id: string, fault: Fault | 'delivered twice'): void;
  trace(line: string): void;
};

/** Maximum turns of a history, which is then considered endless. Normal histories take some thousands. */
const MAX_TURNS = 200_000;

type Task = { at: number; order: number; run: () => void };

/** The real setImmediate, saved before timers become virtual. */
const realSetImmediate = globalThis.setImmediate;

/**
 * Virtual time: a queue of tasks, each with its time in ms. Time does not advance while code runs, and jumps to the next task when
 * all code waits. Sleeps therefore take no real time, and every run of a history is the same.
 */
export class Clock {
  now: number;
  #order = 0;
  #tasks: Task[] = [];

  constructor(start: number) {
    this.now = start;
  }

  /** Runs a task later. Returns a function that cancels it. */
  schedule(delay: number, run: () => void): () => void {
    const task = { at: this.now + Math.max(0, delay), order: this.#order++, run };
    let at = this.#tasks.length;
    while (at > 0 && isLater(this.#tasks[at - 1], task)) at--;
    this.#tasks.splice(at, 0, task);
    return () => {
      const found = this.#tasks.indexOf(task);
      if (found >= 0) this.#tasks.splice(found, 1);
    };
  }

  sleep(delay: number): Promise<void> {
    return new Promise((resolve) => this.schedule(delay, resolve));
  }

  /**
   * Runs all code that is ready, then the next task, and repeats this until the promise settles. Throws if the promise is pending
   * when no task is left, or after MAX_TURNS.
   */
  async runUntil<Result>(promise: Promise<Result>): Promise<Result> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    promise.then(settle, settle);
    for (let turns = 0; ; turns++) {
      // Waits for a turn of the event loop, so that all microtasks and ticks finish first.
      await new Promise((resolve) => realSetImmediate(resolve));
      if (settled) return promise;
      const task = this.#tasks.shift();
      if (!task) throw new Error('The history waits for something that never happens');
      if (turns === MAX_TURNS) throw new Error('The history never ends');
      this.now = Math.max(this.now, task.at);
      task.run();
    }
  }
}

const isLater = (task: Task | undefined, other: Task) => task !== undefined && task.at > other.at;

/**
 * A process that serves streams. If `isShared`, the process is a web function's: its invocations share memory, keep running after their
 * end, and die together. Any other process serves one invocation and freezes when the invocation ends.
 */
export class Server {
  readonly isShared: boolean;
  readonly #invocations = new Set<Invocation>();
  isDead = false;

  constructor(isShared: boolean) {
    this.isShared = isShared;
  }

  add(invocation: Invocation): void {
    this.#invocations.add(invocation);
  }

  /** Ends all invocations of the process, including work that continues after their end. */
  crash(): void {
    this.isDead = true;
    for (const { end } of this.#invocations) end('crashed');
  }
}

/** A call of a handler in a Lambda environment with a separate clock. The call may die at any request, and then does nothing more. */
export type Invocation = {
  id: string;
  world: World;
  random: Random;
  /** Identifies the Lambda environment: a function and a number. Each environment has a retry budget. */
  environment: string;
  /** Error of the environment's clock, in ms. */
  skew: number;
  /** Number of requests that the invocation has sent. */
  requests: number;
  /** Faults that its requests have met. */
  faults: Fault[];
  dead: boolean;
  server: Server | undefined;
  /** Ends the process of the invocation, and with it all its invocations. */
  crash(): void;
  /** Ends the invocation, which then does nothing more. */
  end(cause: 'crashed' | 'timed out'): void;
};

const current = new AsyncLocalStorage<Invocation>();

export const currentInvocation = () => current.getStore();

/** How an invocation ended, from the caller's view. */
export type Ending<Result> = { result: Result } | { error: unknown } | { died: 'crashed' | 'timed out' };

/** Runs a handler until it ends, dies or exceeds `timeout`, in ms. */
export async function invoke<Result>(
  world: World,
  id: string,
  timeout: number,
  run: () => Promise<Result>,
  server?: Server,
): Promise<{ invocation: Invocation; ending: Ending<Result> }> {
  const random = createRandom(`${world.seed} ${id}`);
  const { environments, maxSkewMs } = world.options;
  const number = server?.isShared ? 1 : random.int(1, environments);
  const skew = createRandom(`${world.seed} environment ${number}`).int(-maxSkewMs, maxSkewMs);
  let died: (ending: Ending<Result>) => void;
  const death = new Promise<Ending<Result>>((resolve) => {
    died = resolve;
  });
  const invocation: Invocation = {
    id,
    world,
    random,
    environment: `${/^(subscriber|on-change|publish-events|index)/.exec(id)?.[0] ?? 'api'} ${number}`,
    skew,
    requests: 0,
    faults: [],
    dead: false,
    server,
    crash: () => (server ? server.crash() : invocation.end('crashed')),
    end(cause) {
      invocation.dead = true;
      died({ died: cause });
    },
  };
  server?.add(invocation);
  const cancel = world.clock.schedule(timeout, () => invocation.end('timed out'));
  const end = current.run(invocation, run).then(
    (result): Ending<Result> => ({ result }),
    (error): Ending<Result> => ({ error }),
  );
  const ending = await Promise.race([end, death]);
  cancel();
  // Like Lambda, freezes work that remains after the end, unless the process also serves other invocations.
  if (!server?.isShared) invocation.dead = true;
  return { invocation, ending };
}
