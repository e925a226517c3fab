import { readFileSync } from 'node:fs';
import { startGraphqlServer } from '../../../test/setup/graphql-server.ts';
import { startFaultProxy } from '../../../test/setup/proxy.ts';

/** Counts since the servers' start. `units`: consumed capacity units. */
type Count = { requests: number; units: number };

export type Traffic = {
  /** Pollers' reads of the order log, which lists the keys of all changes. */
  order: Count;
  /** Pollers' reads of the changes themselves. */
  contents: Count;
  otherReads: Count;
  otherWrites: Count;
};

/** One number per server. `memory`: RSS in bytes. `cpu`: seconds of all threads. */
export type Usage = { memory: number[]; cpu: number[]; traffic: Traffic };

export type Servers = { urls: string[]; readUsage(): Usage; stop(): Promise<void> };

/** A proxy counts the DynamoDB requests of the processes. */
export async function startServers(count: number, streamSeconds: number): Promise<Servers> {
  const traffic: Traffic = { order: none(), contents: none(), otherReads: none(), otherWrites: none() };
  const { AWS_ENDPOINT_URL_DYNAMODB: endpoint = '', TABLE_NAME = '', AWS_REGION = '' } = process.env;
  const proxy = await startFaultProxy(
    endpoint,
    () => undefined,
    (operation, body, answer) => {
      const counted = traffic[classify(operation, body)];
      counted.requests++;
      counted.units += sumUnits(answer);
    },
  );
  const variables = {
    TABLE_NAME,
    AWS_REGION,
    AWS_ENDPOINT_URL_DYNAMODB: proxy.url,
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    STREAM_SECONDS: String(streamSeconds),
    MAX_STREAMS: '20000',
  };
  const servers = await Promise.all(Array.from({ length: count }, () => startGraphqlServer(variables)));
  const pids = servers.map(({ pid }) => pid);
  return {
    urls: servers.map(({ url }) => url),
    readUsage: () => ({ memory: pids.map(readMemory), cpu: pids.map(readCpu), traffic: structuredClone(traffic) }),
    async stop() {
      await Promise.all(servers.map(({ stop }) => stop()));
      await proxy.stop();
    },
  };
}

const none = (): Count => ({ requests: 0, units: 0 });

/**
 * Recognizes the reads of pollers: only they read the order log with eventual consistency, or several changes with one
 * BatchGetItem.
 */
function classify(operation: string, body: string): keyof Traffic {
  if (!/^(Query|GetItem|BatchGetItem)$/.test(operation)) return 'otherWrites';
  if (operation === 'BatchGetItem' && body.includes('CHANGES#')) return 'contents';
  const isOrderLog = operation === 'Query' && /"CHANGES#[^"]*#ALL"/.test(body);
  return isOrderLog && !body.includes('"ConsistentRead":true') ? 'order' : 'otherReads';
}

function sumUnits(answer: string): number {
  const { ConsumedCapacity = [] } = JSON.parse(answer) as { ConsumedCapacity?: { CapacityUnits?: number } };
  return [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}

/** RSS in bytes: https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
const readMemory = (pid: number): number =>
  1024 * Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

const CLOCK_TICKS_PER_SECOND = 100;

/** utime and stime of https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function readCpu(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) / CLOCK_TICKS_PER_SECOND;
}
