import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenSettings } from '../../lib/auth/tokens.ts';
import { environment } from '../../lib/environment.ts';
import { operationNames } from '../../lib/rest/operations.ts';
import { ownFields, subjectField } from '../../lib/users/fields/values.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { Offer, TokenRights } from '../web/console/settings.ts';
import { createAuthorizer, startIssuer } from './auth.ts';
import { type ChangeFollowers, followChanges, type Webhook } from './change-followers.ts';
import type { Database } from './database/engine.ts';
import { databaseEnvironment, findExternalDatabase, startDatabase } from './database/start.ts';
import { createGateway, type Gateway, type Handlers } from './gateway.ts';
import type { Options } from './options.ts';
import { createPages, type Files } from './pages.ts';
import { startSchedule } from './schedule.ts';
import type { ServedRequest } from './served-request.ts';
import { type AppliedSettings, DEFAULT_WRITE_GROUP } from './settings.ts';
import { createTable, LOCAL_TABLE } from './table.ts';

export type Service = {
  url: string;
  data: string;
  rights: TokenRights;
  tokenIssuer?: string;
  hasDeveloperTokens: boolean;
  webhook?: Webhook;
  settings?: AppliedSettings;
  stop(): Promise<void>;
};

type ReloadState = { isPrepared?: boolean; checkpointFolder?: string };

export type ServiceHooks = ReloadState & {
  database?: Database | undefined;
  /** URL of the issuer that `npm run dev -- --auth` runs. */
  issuer?: string | undefined;
  files?: Files;
  settings?: AppliedSettings;
  onResponse?: (served: ServedRequest) => void;
};

/** Throws errors with a message of one sentence. */
export async function startService(options: Options, hooks: ServiceHooks = {}): Promise<Service> {
  const { port, host, data, memory, engine, cors } = options;
  const external = findExternalDatabase();
  const database = hooks.database ?? (external ? undefined : await startDatabase(memory ? undefined : data, engine));
  const issuer = options.auth ? await startIssuer(port === 0 ? 0 : port + 1) : undefined;
  try {
    const tokens = issuer?.tokens ?? options.tokens;
    const ownIssuer = issuer?.tokens.issuer ?? hooks.issuer;
    setEnvironment(database, tokens);
    if (database?.file !== undefined) await configureEmbeddedEngine();
    const [streams, handlers] = await Promise.all([prepareTable(options, database, hooks), loadHandlers()]);
    let url = '';
    const info = () => ({
      url,
      data: external ?? (memory ? 'in memory' : data),
      rights: describeRights(),
      offer: describeOffer(),
      ...(tokens ? { tokenIssuer: tokens.issuer } : {}),
      hasDeveloperTokens: ownIssuer !== undefined,
      ...(streams.webhook ? { webhook: streams.webhook } : {}),
      ...(hooks.settings ? { settings: hooks.settings } : {}),
    });
    const gateway: Gateway = createGateway(handlers, {
      pages: createPages(info, ownIssuer, hooks.files),
      authorize: tokens && createAuthorizer(tokens),
      host,
      corsOrigins: [...cors, ...(hooks.settings?.corsOrigins ?? [])],
      onResponse: hooks.onResponse,
    });
    await listen(gateway, port, host);
    url = formatUrl(gateway, host);
    const schedule = startSchedule('index-pages', (await import('../../functions/index-pages.ts')).handler);
    const stop = async () => {
      gateway.close();
      // Running requests have half a second. Then open streams are cut off.
      await Promise.race([once(gateway, 'close'), sleep(500)]);
      gateway.closeAllConnections();
      await schedule.stop();
      await streams.stop();
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

function describeRights(): TokenRights {
  const { scopes, groups } = environment;
  const writeGroup = groups.write ? { writeGroup: { claim: groups.claim, name: groups.write } } : {};
  return { writeScope: scopes.write, historyScope: scopes.history, eraseScope: scopes.erase, ...writeGroup };
}

function describeOffer(): Offer {
  const { sortsByName: sortByName, keepsChangeLog, maxStreams } = environment;
  if (!keepsChangeLog) return { sortByName, changes: 'none' };
  return { sortByName, changes: maxStreams > 0 ? 'live' : 'kept' };
}

function formatUrl(server: Gateway, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function loadHandlers(): Promise<Handlers> {
  const load = async (name: string) => [name, (await import(`../../functions/${name}.ts`)).handler];
  const [{ sendGraphql }, ...rest] = await Promise.all([
    import('../../lib/graphql/server/send.ts'),
    ...operationNames.map(load),
  ]);
  // `graphql` receives requests like the web function of subscriptions=web-function, and responds like a Function URL.
  return { ...Object.fromEntries(rest), graphql: { send: sendGraphql } };
}

async function listen(server: Gateway, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'EADDRINUSE' ? 'is in use; choose another with --port' : `cannot be opened: ${error.message}`;
    throw new Error(`Port ${port} of ${host} ${reason}`);
  });
}

function setEnvironment(database: Database | undefined, tokens: TokenSettings | undefined): void {
  if (tokens)
    Object.assign(process.env, {
      AUTH_ISSUER: tokens.issuer,
      AUTH_AUDIENCE: tokens.audience,
      REQUIRED_AUTHORIZER: 'jwt',
    });
  // Own records require groups, as in a deployment.
  if (tokens && subjectField) {
    process.env.AUTH_READ_GROUP ??= 'users-read';
    process.env.AUTH_WRITE_GROUP ??= DEFAULT_WRITE_GROUP;
  }
  const defaults: Record<string, string> = {
    TABLE_NAME: LOCAL_TABLE,
    AWS_REGION: 'local',
    SERVER_TIMING: 'on',
    FOLLOW_OWN_RECORDS: 'on',
  };
  for (const [name, value] of Object.entries(defaults)) process.env[name] ??= value;
  if (!database) return;
  // The SDK would prefer a profile to the database's access key.
  delete process.env.AWS_PROFILE;
  Object.assign(process.env, databaseEnvironment(database));
}

/** Allows each attempt the time of the whole request: a local request without a response is in progress, not lost. */
async function configureEmbeddedEngine(): Promise<void> {
  process.env.ATTEMPT_TIME_LIMIT_MS ??= String(environment.requestTimeLimitMs);
  const { table } = await import('../../lib/dynamodb/client.ts');
  const { explainEngineErrors } = await import('./database/engine-errors.ts');
  const { omitTransactionTokens } = await import('./database/transaction-tokens.ts');
  // Add this middleware first, so that it is outermost. Others would replace the explained error of a transaction.
  explainEngineErrors(table);
  omitTransactionTokens(table);
}

async function prepareTable(
  options: Options,
  database: Database | undefined,
  { isPrepared, checkpointFolder }: ReloadState,
): Promise<ChangeFollowers> {
  if (!isPrepared) await fillTable(options, database);
  return followChanges(options, database && !options.memory ? options.data : checkpointFolder, database?.file);
}

async function fillTable({ sample }: Options, database: Database | undefined): Promise<void> {
  await createTable(process.env.TABLE_NAME ?? LOCAL_TABLE).catch((error: Error) => {
    const problem = database ? 'The local database failed' : `No DynamoDB responds at ${findExternalDatabase()}`;
    throw new Error(`${problem}: ${error.message || error.name}`);
  });
  const { storeOwnEpoch } = await import('../../lib/features/change-log/epochs.ts');
  // The start of a log without an epoch would move until the job's first turn.
  if (environment.keepsChangeLog) await storeOwnEpoch();
  if (sample !== undefined) await fillWithPeople(sample);
}

async function fillWithPeople(count: number): Promise<void> {
  const { createSample } = await import('./sample.ts');
  const { ProgressReport } = await import('../scripts/progress.ts');
  const report = new ProgressReport('users');
  const isFilled = await createSample(count, (rows) => {
    if (rows === 0) console.error(`Creating ${count.toLocaleString('en')} sample users`);
    report.update({ count: rows, of: count });
  });
  report.end();
  if (!isFilled)
    console.error('The database has users, so --sample adds none. To repeat an interrupted sample, remove its folder.');
}

export const createBanner = (service: Omit<Service, 'stop'>, ms: number): string => `\
User Management Service ${packageJson.version}, ready in ${Math.round(ms)} ms
  Console  ${service.url}/
  REST     ${service.url}/v1/users and ${service.url}/api/users, reference at ${service.url}/docs
  GraphQL  ${service.url}/graphql
  Data     ${service.data}
  Access   ${describeAccess(service)}${describeFields()}${describeWebhook(service)}${describeSettings(service)}`;

function describeWebhook({ webhook }: Omit<Service, 'stop'>): string {
  if (!webhook) return '';
  return `\n  Events   ${webhook.url}${webhook.newSecret ? `, signed with ${webhook.newSecret}` : ''}`;
}

function describeSettings({
  settings: { environment, applied, ignored } = { environment: '', corsOrigins: [], applied: [], ignored: [] },
}: Omit<Service, 'stop'>): string {
  return [
    ...(applied.length > 0 ? [`\n  Settings ${applied.join(', ')}: as in the environment ${environment}`] : []),
    ...(ignored.length > 0
      ? [`\n  Ignored  ${ignored.join(', ')} of the environment ${environment}: see infra/local/README.md`]
      : []),
  ].join('');
}

function describeFields(): string {
  const names = ownFields.map(({ name }) => name);
  return names.length > 0 ? `\n  Fields   ${names.join(', ')}` : '';
}

function describeAccess({ tokenIssuer, hasDeveloperTokens }: Omit<Service, 'stop'>): string {
  if (hasDeveloperTokens) return `with tokens of npm run -s token -- --issuer ${tokenIssuer}`;
  return tokenIssuer ? 'with tokens of the issuer' : 'without tokens; npm run start:auth requires them';
}
