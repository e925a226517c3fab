import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '../../lib/rest/operations.ts';
import { startIssuer } from './auth/issuer.ts';
import { createAuthorizer } from './authorizer.ts';
import type { Database } from './database/engine.ts';
import { startDatabase } from './database/start.ts';
import { findExternalDatabase, setEnvironment } from './environment.ts';
import { createGateway, type Gateway, type Handlers } from './gateway.ts';
import type { Access } from './logs/access.ts';
import type { Options } from './options.ts';
import { createPages } from './pages.ts';
import { type EarlierProcess, prepareTable } from './prepare-table.ts';
import { provideAwslambda } from './runtime.ts';
import { startSchedule } from './schedule.ts';

export type Service = { url: string; data: string; requiresToken: boolean; issuer?: string; stop(): Promise<void> };

/** A database that runs already, what an earlier process has left, and whom to tell of responses. */
export type ServiceHooks = EarlierProcess & {
  database?: Database | undefined;
  onResponse?: (access: Access) => void;
};

/** Runs the functions on this machine. Throws an error with a one-sentence message if it cannot start. */
export async function startService(options: Options, hooks: ServiceHooks = {}): Promise<Service> {
  const { port, host, data, memory, engine, cors } = options;
  const external = findExternalDatabase();
  const database = hooks.database ?? (external ? undefined : await startDatabase(memory ? undefined : data, engine));
  const issuer = options.auth ? await startIssuer(port === 0 ? 0 : port + 1) : undefined;
  try {
    const tokens = issuer?.tokens ?? options.tokens;
    setEnvironment(database, tokens);
    const [stream, handlers] = await Promise.all([prepareTable(options, database, hooks), loadHandlers()]);
    // The port is known once the gateway listens; it still answers when it does not listen any more.
    let url = '';
    const info = () => ({
      url,
      data: external ?? (memory ? 'in memory' : data),
      requiresToken: tokens !== undefined,
      ...(issuer ? { issuer: issuer.tokens.issuer } : {}),
    });
    const gateway: Gateway = createGateway(handlers, {
      pages: createPages(info),
      authorize: tokens && createAuthorizer(tokens),
      host,
      corsOrigins: cors,
      onResponse: hooks.onResponse,
    });
    await listen(gateway, port, host);
    url = formatUrl(gateway, host);
    const schedule = startSchedule('index-pages', (await import('../../functions/index-pages.ts')).handler);
    const stop = async () => {
      gateway.close();
      // Requests are answered; streams would go on.
      await Promise.race([once(gateway, 'close'), sleep(500)]);
      gateway.closeAllConnections();
      await schedule.stop();
      await stream?.stop();
      await issuer?.stop();
      await database?.stop();
    };
    return { ...info(), stop };
  } catch (error) {
    await issuer?.stop();
    await database?.stop();
    throw error;
  }
}

function formatUrl(server: Gateway, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function loadHandlers(): Promise<Handlers> {
  provideAwslambda();
  const load = async (name: string) => [name, (await import(`../../functions/${name}.ts`)).handler];
  return Object.fromEntries(await Promise.all([...Object.keys(operations), 'graphql'].map(load)));
}

async function listen(server: Gateway, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'EADDRINUSE' ? 'is in use; choose another with --port' : `cannot be opened: ${error.message}`;
    throw new Error(`Port ${port} of ${host} ${reason}`);
  });
}
