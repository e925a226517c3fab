import { environment } from './environment.ts';

/** What was consumed counts half after so long, a quarter after twice as long, and so on. */
const HALF_LIFE_MS = 3_000;
/** So long after DynamoDB has rejected a request, callers with a large share wait. */
const THROTTLED_MS = 5_000;
/** Requests and capacity units: who consumes less than some lists of users a second never waits. */
const MIN_SHARE = 25;
/** So many callers are remembered. */
const MAX_CALLERS = 1_000;
const MAX_WAIT_SECONDS = 10;

export const TOO_MUCH = 'You use too much of the database, which is at its limit; please wait';

type Consumed = { amount: number; at: number };

/**
 * What each caller has consumed of the table through this process, in the last seconds. Lambda spreads the requests of a caller
 * at random, so its share here is about its share everywhere, and no process has to ask a store. Nobody waits while DynamoDB has
 * room. When it throttles, those wait who consume as much as the mean of all callers or more, so that the others get through.
 */
export class CallerShares {
  readonly #consumed = new Map<string, Consumed>();
  #throttledUntil = 0;

  /** DynamoDB has rejected a request because of the rate. */
  reportThrottle(): void {
    this.#throttledUntil = environment.now() + THROTTLED_MS;
  }

  add(caller: string, amount: number): void {
    if (this.#consumed.size >= MAX_CALLERS) this.#forgetIdle();
    const at = environment.now();
    this.#consumed.set(caller, { amount: this.#read(caller) + amount, at });
  }

  /** Returns for how many seconds the caller shall wait; undefined if its request can be answered. */
  findWait(caller: string): number | undefined {
    if (environment.now() >= this.#throttledUntil) return undefined;
    const own = this.#read(caller);
    if (own < MIN_SHARE || own < this.#computeMean()) return undefined;
    const seconds = (Math.log2(own / MIN_SHARE) * HALF_LIFE_MS) / 1000;
    return Math.min(MAX_WAIT_SECONDS, Math.floor(seconds) + 1);
  }

  #read(caller: string): number {
    const { amount, at } = this.#consumed.get(caller) ?? { amount: 0, at: 0 };
    return amount * 0.5 ** ((environment.now() - at) / HALF_LIFE_MS);
  }

  /** Those who have consumed next to nothing lately would lower it. */
  #computeMean(): number {
    const active = [...this.#consumed.keys()].map((caller) => this.#read(caller)).filter((amount) => amount >= 1);
    return active.reduce((sum, amount) => sum + amount, 0) / Math.max(1, active.length);
  }

  #forgetIdle(): void {
    for (const caller of this.#consumed.keys()) if (this.#read(caller) < 1) this.#consumed.delete(caller);
    if (this.#consumed.size >= MAX_CALLERS) this.#consumed.clear();
  }
}

/** Those of this process. Tests give others. */
export const callers = { shares: new CallerShares() };
