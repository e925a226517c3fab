import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database } from '../database/database.ts';
import type { EventBus } from '../network/event-bus.ts';
import type { Network } from '../network/network.ts';
import type { Fault, FaultOptions } from '../options.ts';
import { createRandom, type Random } from '../random.ts';

/** The parts of one history share all of this. */
export type World = {
  seed: string;
  clock: Clock;
  database: Database;
  bus: EventBus;
  network: Network;
  /** NO_FAULTS replaces them once the clients are done. */
  options: FaultOptions;
  /** The stream had so many changes when the service was switched to a table that was restored from the first, if it was. */
  restoredAt: number | undefined;
  /** Faults of requests and batches with these ids, and operations with these ids, are left out to shrink a history. */
  excluded: Set<string>;
  /** The SDK gives a request up after this time, in ms. */
  requestTimeout: number;
  report(id: string, fault: Fault | 'delivered twice'): void;
  trace(line: string): void;
};

/** Histories take some thousands of turns. */
const MAX_TURNS = 200_000;

type Task = { at: number; order: number; run: () => void };

/** It is taken before timers become virtual. */
const realSetImmediate = globalThis.setImmediate;

/**
 * Virtual time is a queue of tasks, each at its millisecond. It stands still while code runs, and jumps to the next
 * task when all code waits, so that sleeps and time-outs cost nothing and every run of a history is the same.
 */
export class Clock {
  now: number;
  #order = 0;
  #tasks: Task[] = [];

  constructor(start: number) {
    this.now = start;
  }

  /** Runs a task later; what it returns cancels the task. */
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

  /** Lets all code run that can, then the next task, and so on until the promise settles. Throws when nothing is left, and when it never ends. */
  async runUntil<Result>(promise: Promise<Result>): Promise<Result> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    promise.then(settle, settle);
    for (let turns = 0; ; turns++) {
      // Microtasks and ticks are all done before the event loop turns.
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
 * The process behind streams. That of a web function serves several invocations at once, which share its memory: what one
 * leaves running goes on after its end, and all die together. That of other functions serves one, and is frozen at its end.
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

  /** The network finds the requests of an invocation that has ended, too. */
  crash(): void {
    this.isDead = true;
    for (const { end } of this.#invocations) end('crashed');
  }
}

/** A handler is called in an environment with a separate clock. An invocation may die anywhere, and then does nothing more. */
export type Invocation = {
  id: string;
  world: World;
  random: Random;
  /** It names the function, and which of its environments this is: each has a budget of retries. */
  environment: string;
  /** Its clock is off by so many ms. */
  skew: number;
  /** It has sent so many requests. */
  requests: number;
  /** Its requests met these faults. */
  faults: Fault[];
  dead: boolean;
  server: Server | undefined;
  /** The process of the invocation crashes. */
  crash(): void;
  /** The invocation ends like this, and does nothing more. */
  end(cause: 'crashed' | 'timed out'): void;
};

const current = new AsyncLocalStorage<Invocation>();

export const currentInvocation = () => current.getStore();

/** The caller sees that an invocation ended in one of these ways. */
export type Ending<Result> = { result: Result } | { error: unknown } | { died: 'crashed' | 'timed out' };

/** Runs a handler until it ends, dies, or is over its time, in ms. */
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
  // What it has left running is frozen with its environment, unless that serves others.
  if (!server?.isShared) invocation.dead = true;
  return { invocation, ending };
}
