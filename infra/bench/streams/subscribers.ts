import { type Arrival, Subscriber, type Target } from './subscriber.ts';
import { serve } from './worker.ts';

const AT_ONCE = 32;

const subscribers: Subscriber[] = [];
const arrivals: Arrival[] = [];

export type Subscribers = typeof methods;

/** Methods of the process that runs the clients. Its CPU time and memory are not measured. */
const methods = {
  async open(targets: Target[]): Promise<void> {
    const waiting = targets.map((target) => new Subscriber(target, (arrival) => arrivals.push(arrival)));
    subscribers.push(...waiting);
    const openNext = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) await next.open();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, openNext));
  },

  take() {
    return {
      arrivals: arrivals.splice(0),
      violations: subscribers.flatMap(({ violations }) => violations.splice(0)),
    };
  },
};

serve(methods);
