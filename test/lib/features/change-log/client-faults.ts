import { table } from '../../../../lib/dynamodb/client.ts';

/** A stalled request fails for the client, but reaches the database later. */
export type WriteFault = 'none' | 'request lost' | 'answer lost' | 'stalled';

export class ClientFaults implements Disposable {
  #fault: WriteFault = 'none';
  /** Number of writes that succeed before the faulty one. */
  #before = 0;
  /** Positions, from the newest, of entries that eventually consistent reads do not show yet. */
  #hidden: number[] = [];
  #stalled: (() => Promise<unknown>)[] = [];

  constructor() {
    table.middlewareStack.add(
      (next) => async (args) => {
        if ('TransactItems' in args.input || 'Item' in args.input) return this.#write(() => next(args));
        const result = await next(args);
        const output = result.output as { Items?: unknown[] };
        const isEventual = 'ConsistentRead' in args.input && args.input.ConsistentRead === false;
        if (isEventual && output.Items) output.Items = this.#hide(output.Items);
        return result;
      },
      { step: 'initialize', name: 'faults', override: true },
    );
  }

  /** Runs `run` with the fault in one write, after `after` writes that succeed. */
  async during(fault: WriteFault, after: number, run: () => Promise<void>): Promise<void> {
    this.#fault = fault;
    this.#before = after;
    await run();
    this.#fault = 'none';
  }

  async hiding(hidden: number[], run: () => Promise<void>): Promise<void> {
    this.#hidden = hidden;
    await run();
    this.#hidden = [];
  }

  /** Delivers stalled requests, latest first. */
  async arrive(): Promise<void> {
    const stalled = this.#stalled.toReversed();
    this.#stalled = [];
    for (const send of stalled) await send().catch(() => undefined);
  }

  [Symbol.dispose](): void {
    table.middlewareStack.remove('faults');
  }

  async #write<Output>(send: () => Promise<Output>): Promise<Output> {
    const fault = this.#fault;
    if (fault === 'none' || this.#before-- > 0) return send();
    this.#fault = 'none';
    if (fault === 'answer lost') await send();
    if (fault === 'stalled') this.#stalled.push(send);
    throw Object.assign(new Error('socket hang up'), { $metadata: {} });
  }

  #hide(items: unknown[]): unknown[] {
    return items.filter((_, index) => !this.#hidden.includes(items.length - 1 - index));
  }
}
