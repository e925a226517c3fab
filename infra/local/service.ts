import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { operations } from '../../lib/rest/operations.ts';
import { createAuthorizer } from './authorizer.ts';
import { type Following, followStream } from './change-stream.ts';
import { createTable } from './create-table.ts';
import { type Database, startDatabase } from './database.ts';
import { createGateway, type Handlers } from './gateway.ts';
import type { Options } from './options.ts';
import { createPages } from './pages/pages.ts';
import { provideAwslambda } from './runtime.ts';
import { startSchedule } from './schedule.ts';

export type Service = { url: string; data: string; stop(): Promise<void> };

const LOCAL_TABLE = 'users';

/** Runs the functions on this machine. Throws, with one sentence, where something it needs is not to be had. */
export async function startService({ port, host, data, memory, tokens }: Options): Promise<Service> {
  const external = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? process.env.AWS_ENDPOINT_URL;
  const database = external ? undefined : await startDatabase(memory ? undefined : data);
  try {
    setEnvironment(database, tokens);
    await createTable(process.env.TABLE_NAME ?? LOCAL_TABLE).catch((error: Error) => {
      throw new Error(`No DynamoDB answers at ${external ?? database?.endpoint}: ${error.message || error.name}`);
    });
    if (database) await (await import('../../lib/graphql/sse/stream-limit.ts')).freeAllSlots();
    const stream = await follow(external ? undefined : data, memory);
    const place = () => ({
      url: urlOf(gateway, host),
      data: external ?? (memory ? 'in memory' : data),
      authorized: tokens !== undefined,
    });
    const gateway: Server = createGateway(await loadHandlers(), createPages(place), tokens && createAuthorizer(tokens));
    await listen(gateway, port, host);
    const schedule = startSchedule('index-pages', (await import('../../functions/index-pages.ts')).handler);
    const stop = async () => {
      gateway.close();
      gateway.closeAllConnections();
      await schedule.stop();
      await stream?.stop();
      await database?.stop();
    };
    return { ...place(), stop };
  } catch (error) {
    await database?.stop();
    throw error;
  }
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Functions read the standard AWS variables when they are imported; the embedded database takes any credentials. */
function setEnvironment(database: Database | undefined, tokens: Options['tokens']): void {
  if (tokens) Object.assign(process.env, { AUTH_ISSUER: tokens.issuer, AUTH_AUDIENCE: tokens.audience });
  const defaults: Record<string, string> = { TABLE_NAME: LOCAL_TABLE, AWS_REGION: 'local' };
  if (database)
    Object.assign(defaults, {
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    });
  for (const [name, value] of Object.entries(defaults)) process.env[name] ??= value;
}

/** The stream's consumer, as the stack wires it. An endpoint of someone's own may have no stream to follow. */
async function follow(data: string | undefined, memory: boolean): Promise<Following | undefined> {
  const { handler } = await import('../../functions/on-change.ts');
  try {
    return await followStream(process.env.TABLE_NAME ?? LOCAL_TABLE, handler, memory ? undefined : data);
  } catch (error) {
    console.warn(`Changes are not followed (no subscriptions, no clean-up): ${(error as Error).message}`);
    return undefined;
  }
}

async function loadHandlers(): Promise<Handlers> {
  provideAwslambda();
  const load = async (name: string) => [name, (await import(`../../functions/${name}.ts`)).handler];
  return Object.fromEntries(await Promise.all([...Object.keys(operations), 'graphql'].map(load)));
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'EADDRINUSE' ? 'is in use; choose another with --port' : `cannot be opened: ${error.message}`;
    throw new Error(`Port ${port} of ${host} ${reason}`);
  });
}
