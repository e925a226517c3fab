import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database } from '../database/database.ts';
import type { EventBus } from '../network/event-bus.ts';
import type { Request } from '../network/requests.ts';
import type { Fault, FaultOptions } from '../options.ts';
import { createRandom, type Random } from '../random.ts';

/** One history: a simulated run of clients, functions and database. */
export type World = {
  seed: string;
  clock: Clock;
  database: Database;
  bus: EventBus;
  network: { send(request: Request, invocation: Invocation, signal?: AbortSignal): Promise<unknown> };
  /** Current faults. NO_FAULTS after the clients have finished. */
  options: FaultOptions;
  /** Number of stream records before the switch to a restored table. */
  restoredAt: number | undefined;
  /** When `on-change` consumed each stream record, in ms, by position in the stream. */
  consumed: Map<number, number>;
  /** Time from which totals and page numbers are exact in spite of deletions by hand. Undefined before. */
  countsFrom?: number;
  /** Ids of operations and faults to skip, to shrink a history. */
  excluded: Set<string>;
  /** Timeout of the SDK, in ms. */
  requestTimeout: number;
  report(id: string, fault: Fault | 'delivered twice'): void;
  trace(line: string): void;
};

const MAX_TURNS = 200_000;

type Task = { at: number; order: number; run: () => void };

/** The real function, saved before timers become virtual. */
const realSetImmediate = globalThis.setImmediate;

/** A virtual clock in ms. Jumps to the next task when all code waits, so sleeps take no real time. */
export class Clock {
  now: number;
  #order = 0;
  #tasks: Task[] = [];

  constructor(start: number) {
    this.now = start;
  }

  /** Returns a function that cancels the task. */
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

  /** Runs tasks until the promise settles. Throws if no task is left, or after MAX_TURNS. */
  async runUntil<Result>(promise: Promise<Result>): Promise<Result> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    promise.then(settle, settle);
    for (let turns = 0; ; turns++) {
      // Let all microtasks and ticks finish first.
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
 * A process. If `isShared`, it is of a web function: its invocations share memory, keep running after their end, and
 * die together. Other processes serve one invocation.
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

  crash(): void {
    this.isDead = true;
    for (const { end } of this.#invocations) end('crashed');
  }
}

/** An invocation may die at any request, and then does nothing more. */
export type Invocation = {
  id: string;
  world: World;
  random: Random;
  /** Name of the environment: a function and a number. */
  environment: string;
  /** Error of the environment's clock, in ms. */
  skew: number;
  requests: number;
  faults: Fault[];
  dead: boolean;
  server: Server | undefined;
  crash(): void;
  end(cause: 'crashed' | 'timed out'): void;
};

const current = new AsyncLocalStorage<Invocation>();

export const currentInvocation = () => current.getStore();

/** How an invocation ends for its caller. */
export type Ending<Result> = { result: Result } | { error: unknown } | { died: 'crashed' | 'timed out' };

/** Runs an invocation of a function. `timeout` in ms. */
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
  // Freeze remaining work like Lambda, unless the process serves other invocations.
  if (!server?.isShared) invocation.dead = true;
  return { invocation, ending };
}
