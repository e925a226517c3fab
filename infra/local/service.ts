import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { operations } from '../../lib/rest/operations.ts';
import { createAuthorizer } from './authorizer.ts';
import { followStream, type StreamFollower } from './change-stream.ts';
import { createTable } from './create-table.ts';
import { type Database, startDatabase } from './database.ts';
import { createGateway, type Handlers } from './gateway.ts';
import type { Options } from './options.ts';
import { createPages } from './pages/pages.ts';
import { provideAwslambda } from './runtime.ts';
import { startSchedule } from './schedule.ts';

export type Service = { url: string; data: string; stop(): Promise<void> };

const LOCAL_TABLE = 'users';

/** Runs the functions on this machine. Throws an error with a one-sentence message if it cannot start. */
export async function startService({ port, host, data, memory, tokens, cors }: Options): Promise<Service> {
  const external = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? process.env.AWS_ENDPOINT_URL;
  const database = external ? undefined : await startDatabase(memory ? undefined : data);
  try {
    setEnvironment(database, tokens);
    await createTable(process.env.TABLE_NAME ?? LOCAL_TABLE).catch((error: Error) => {
      throw new Error(`No DynamoDB responds at ${external ?? database?.endpoint}: ${error.message || error.name}`);
    });
    if (database) await (await import('../../lib/graphql/sse/stream-limit.ts')).freeAllSlots();
    const stream = await followChanges(external ? undefined : data, memory);
    const info = () => ({
      url: formatUrl(gateway, host),
      data: external ?? (memory ? 'in memory' : data),
      requiresToken: tokens !== undefined,
    });
    const gateway: Server = createGateway(await loadHandlers(), {
      pages: createPages(info),
      authorize: tokens && createAuthorizer(tokens),
      corsOrigins: cors,
    });
    await listen(gateway, port, host);
    const schedule = startSchedule('index-pages', (await import('../../functions/index-pages.ts')).handler);
    const stop = async () => {
      gateway.close();
      gateway.closeAllConnections();
      await schedule.stop();
      await stream?.stop();
      await database?.stop();
    };
    return { ...info(), stop };
  } catch (error) {
    await database?.stop();
    throw error;
  }
}

function formatUrl(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Functions read the standard AWS variables when they are imported. The embedded database accepts any credentials. */
function setEnvironment(database: Database | undefined, tokens: Options['tokens']): void {
  if (tokens) Object.assign(process.env, { AUTH_ISSUER: tokens.issuer, AUTH_AUDIENCE: tokens.audience });
  const defaults: Record<string, string> = { TABLE_NAME: LOCAL_TABLE, AWS_REGION: 'local', SERVER_TIMING: 'on' };
  if (database)
    Object.assign(defaults, {
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    });
  for (const [name, value] of Object.entries(defaults)) process.env[name] ??= value;
}

/** Connects on-change to the table's stream, as the stack does. An external database may not offer streams. */
async function followChanges(data: string | undefined, memory: boolean): Promise<StreamFollower | undefined> {
  const { handler } = await import('../../functions/on-change.ts');
  try {
    return await followStream(process.env.TABLE_NAME ?? LOCAL_TABLE, handler, { folder: memory ? undefined : data });
  } catch (error) {
    console.warn(
      `The table's stream cannot be read, so there are no subscriptions and no clean-up of posts: ${(error as Error).message}`,
    );
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
