import { setTimeout as sleep } from 'node:timers/promises';
import { type Servers, startServers, type Traffic } from './servers.ts';
import type { Arrival } from './subscriber.ts';
import type { Subscribers } from './subscribers.ts';
import { startWorker, type Worker } from './worker.ts';
import type { Writer } from './writer.ts';

export type Writing = { process: Worker<Writer>; ids: string[]; versions: Map<string, number> };

export type OpenStreams = {
  processes: number;
  streams: number;
  opening: Opening;
  run(rate: number, seconds: number): Promise<Phase>;
};

/** `seconds`: to open all streams. `reads`, `writes` (capacity units) and `cpu` (seconds): per stream. */
export type Opening = { seconds: number; reads: number; writes: number; cpu: number };

/**
 * Measured while `rate` users change per second. `memory`: RSS of all servers in bytes, per second. `emptyMemory`: RSS
 * before streams were opened. `cpu`: seconds.
 */
export type Phase = {
  rate: number;
  seconds: number;
  /** From the first change to the acknowledgement of the last. */
  writingSeconds: number;
  changes: number;
  /** In ms, sorted: from the acknowledgement of a write to its arrival at the subscriber. */
  delays: number[];
  violations: string[];
  memory: number[];
  emptyMemory: number;
  cpu: number;
  traffic: Traffic;
};

export async function withWriting<Result>(count: number, run: (writing: Writing) => Promise<Result>): Promise<Result> {
  const process = startWorker<Writer>('writer.ts');
  try {
    const ids = await process.call('createUsers', count);
    return await run({ process, ids, versions: new Map() });
  } finally {
    await process.stop();
  }
}

const MAX_PER_CLIENT_PROCESS = 5_000;

/** One stream per user. The servers end a stream after `streamSeconds`, and its client resumes it. */
export async function withStreams<Result>(
  writing: Writing,
  { processes, streams, streamSeconds }: { processes: number; streams: number; streamSeconds: number },
  run: (streams: OpenStreams) => Promise<Result>,
): Promise<Result> {
  const servers = await startServers(processes, streamSeconds);
  const clients = Array.from({ length: Math.ceil(streams / MAX_PER_CLIENT_PROCESS) }, () =>
    startWorker<Subscribers>('subscribers.ts'),
  );
  try {
    const emptyMemory = sum(servers.readUsage().memory);
    const opening = await openAll(writing, servers, clients, streams);
    const runPhase = (rate: number, seconds: number) =>
      measurePhase(writing, servers, clients, { streams, rate, seconds, emptyMemory });
    return await run({ processes, streams, opening, run: runPhase });
  } finally {
    for (const client of clients) await client.stop();
    await servers.stop();
  }
}

async function measurePhase(
  { process, ids, versions }: Writing,
  servers: Servers,
  clients: Worker<Subscribers>[],
  { streams, rate, seconds, emptyMemory }: { streams: number; rate: number; seconds: number; emptyMemory: number },
): Promise<Phase> {
  const before = servers.readUsage();
  await takeAll(clients);
  const startedAt = performance.now();
  const memory: number[] = [];
  const timer = setInterval(() => memory.push(sum(servers.readUsage().memory)), 1_000);
  try {
    const written = await process.call('change', { ids: ids.slice(0, streams), rate, seconds });
    const writingSeconds = (performance.now() - startedAt) / 1000;
    const arrived = await takeUntilArrived(clients, written);
    const after = servers.readUsage();
    for (const { userId, version } of written) versions.set(userId, Math.max(version, versions.get(userId) ?? 1));
    return {
      rate,
      seconds: (performance.now() - startedAt) / 1000,
      writingSeconds,
      changes: written.length,
      ...arrived,
      memory,
      emptyMemory,
      cpu: sum(after.cpu) - sum(before.cpu),
      traffic: subtract(after.traffic, before.traffic),
    };
  } finally {
    clearInterval(timer);
  }
}

async function openAll(
  { ids, versions }: Writing,
  servers: Servers,
  clients: Worker<Subscribers>[],
  streams: number,
): Promise<Opening> {
  const before = servers.readUsage();
  const startedAt = performance.now();
  const targets = ids.slice(0, streams).map((userId, index) => ({
    userId,
    url: servers.urls[index % servers.urls.length] ?? '',
    clientAddress: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
    version: versions.get(userId) ?? 1,
  }));
  await Promise.all(
    clients.map((client, number) =>
      client.call(
        'open',
        targets.filter((_, index) => index % clients.length === number),
      ),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const after = servers.readUsage();
  const { otherReads, otherWrites } = subtract(after.traffic, before.traffic);
  return {
    seconds,
    reads: otherReads.units / streams,
    writes: otherWrites.units / streams,
    cpu: (sum(after.cpu) - sum(before.cpu)) / streams,
  };
}

const takeAll = (clients: Worker<Subscribers>[]) =>
  Promise.all(clients.map((client) => client.call('take', undefined)));

const MAX_SILENCE_MS = 60_000;

async function takeUntilArrived(clients: Worker<Subscribers>[], written: Arrival[]) {
  const expected = new Map(written.map((change) => [formatChange(change), change.at]));
  const delays: number[] = [];
  const violations: string[] = [];
  let lastAt = performance.now();
  for (;;) {
    const taken = await takeAll(clients);
    violations.push(...taken.flatMap(({ violations }) => violations));
    for (const arrival of taken.flatMap(({ arrivals }) => arrivals)) {
      const acknowledgedAt = expected.get(formatChange(arrival));
      if (acknowledgedAt === undefined) violations.push(`Not written, or a second time: ${formatChange(arrival)}`);
      else delays.push(arrival.at - acknowledgedAt);
      expected.delete(formatChange(arrival));
      lastAt = performance.now();
    }
    if (expected.size === 0 || performance.now() - lastAt > MAX_SILENCE_MS) break;
    await sleep(100);
  }
  violations.push(...[...expected.keys()].map((change) => `Has not arrived: ${change}`));
  return { delays: delays.toSorted((one, other) => one - other), violations };
}

const formatChange = ({ userId, version }: Arrival) => `version ${version} of ${userId}`;

function subtract(after: Traffic, before: Traffic): Traffic {
  const difference = (name: keyof Traffic) => ({
    requests: after[name].requests - before[name].requests,
    units: after[name].units - before[name].units,
  });
  return {
    order: difference('order'),
    contents: difference('contents'),
    otherReads: difference('otherReads'),
    otherWrites: difference('otherWrites'),
  };
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
