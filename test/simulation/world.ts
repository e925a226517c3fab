import type { Database } from './database/database.ts';
import type { Clock } from './environment/clock.ts';
import type { Network } from './network/network.ts';
import type { Fault, FaultOptions } from './options.ts';

/** All that the parts of one history share. */
export type World = {
  seed: string;
  clock: Clock;
  database: Database;
  network: Network;
  /** Replaced by NO_FAULTS once the clients are done. */
  options: FaultOptions;
  /** Faults and operations that are left out, to shrink a history: the ids of requests, batches and operations. */
  excluded: Set<string>;
  /** After which the SDK gives a request up, in ms. */
  requestTimeout: number;
  report(id: string, fault: Fault | 'delivered twice'): void;
  trace(line: string): void;
};
