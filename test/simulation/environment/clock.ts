import { realSetImmediate } from './globals.ts';

type Task = { at: number; order: number; run: () => void };

/**
 * Virtual time: a queue of tasks, each at its millisecond. Time stands still while code runs, and jumps to the next
 * task when all code waits, so that sleeps and time-outs cost nothing and every run of a history is the same.
 */
export class Clock {
  now: number;
  #order = 0;
  #tasks: Task[] = [];

  constructor(start: number) {
    this.now = start;
  }

  /** Runs a task later; cancelled by what it returns. */
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

  /** Lets all code run that can, then the next task, and so on until the promise settles. Throws when nothing is left. */
  async runUntil<Result>(promise: Promise<Result>): Promise<Result> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    promise.then(settle, settle);
    for (;;) {
      // Microtasks and ticks are all done before the event loop turns.
      await new Promise((resolve) => realSetImmediate(resolve));
      if (settled) return promise;
      const task = this.#tasks.shift();
      if (!task) throw new Error('The history waits for something that never happens');
      this.now = Math.max(this.now, task.at);
      task.run();
    }
  }
}

const isLater = (task: Task | undefined, other: Task) => task !== undefined && task.at > other.at;
