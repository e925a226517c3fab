import { existsSync, readdirSync } from 'node:fs';
import { ClientError } from '../../../lib/client/client.ts';
import { environment } from '../../../lib/environment.ts';
import { databaseEnvironment, startDatabase } from '../../local/database/start.ts';
import { createTable, LOCAL_TABLE } from '../../local/table.ts';
import { provideOwnFields } from '../../own-fields/provide.ts';
import type { GroupIndex } from '../../transfer/memberships.ts';
import { describeError } from '../command.ts';
import { type DeploymentOptions, readOwnFields } from './deployment.ts';
import type { GroupStore } from './group-store.ts';
import type { PlannedGroups } from './import-groups.ts';
import type { ExportSource } from './write-rows.ts';

/** Options of commands for a table. */
export const tableOptions = {
  table: { type: 'string' },
  data: { type: 'string' },
  fields: { type: 'string' },
} as const;

/** Options of commands for a table or a deployment. */
export const placeOptions = {
  url: { type: 'string' },
  'graphql-url': { type: 'string' },
  token: { type: 'string' },
  sigv4: { type: 'boolean', default: false },
  ...tableOptions,
} as const;

export const TABLE_HELP = `  --table NAME       a table, with the AWS credentials of the environment
  --data DIR         the embedded database in a folder; stop its service first
  --fields FILE      the own fields of the table's users as a JSON file, not those of infra/settings/environments.ts`;

export const PLACE_HELP = `  --url URL          the APIs of a deployment; by default http://localhost:3000, the service of npm start
  --graphql-url URL  the URL of GraphQL, if it differs from --url
  --token TOKEN      an access token; the variable AUTH_TOKEN by default. --sigv4 signs with the AWS credentials of the environment instead
${TABLE_HELP}`;

type TableValues = { [Name in keyof typeof tableOptions]?: string | undefined };

type Values = TableValues & { [Name in 'url' | 'graphql-url' | 'token']?: string | undefined } & { sigv4: boolean };

/** A deployment, or the table that environment variables select if `deployment` is undefined. */
export type Place = {
  name: string;
  deployment?: DeploymentOptions;
  /** Fields without limits in the deployment's OpenAPI document. */
  unchecked: readonly string[];
  isEmbedded: boolean;
  /** False if no database was started. */
  isOpen: boolean;
  stop(): Promise<void>;
};

const DEFAULT_URL = 'http://localhost:3000';

/**
 * Sets own fields and environment variables. Import modules that read them only afterwards. Throws for invalid options.
 * `opensDatabase: false` creates no embedded database, and starts one only to look up groups.
 */
async function openPlace(values: Values, { opensDatabase = true } = {}): Promise<Place> {
  const { url, table, data, fields } = values;
  if ([url, table, data].filter((value) => value !== undefined).length > 1)
    throw new Error('Use only one of --url, --table and --data');
  if (values.token !== undefined && values.sigv4) throw new Error('Use only one of --token and --sigv4');
  if (table === undefined && data === undefined) return openDeployment(values);
  const { token, sigv4, 'graphql-url': graphqlUrl } = values;
  const unused = Object.entries({ token, sigv4, 'graphql-url': graphqlUrl }).find(([, value]) => value);
  if (unused) throw new Error(`--${unused[0]} requires a deployment, not --table or --data`);
  provideOwnFields(fields);
  allowLongRequests();
  process.env.TABLE_NAME = table ?? LOCAL_TABLE;
  const place = {
    name: data === undefined ? `table ${table}` : `folder ${data}`,
    unchecked: [],
    isEmbedded: data !== undefined,
  };
  if (data === undefined) return { ...place, isOpen: true, stop: async () => {} };
  if (!opensDatabase && !(hasGroups() && hasDatabase(data))) return { ...place, isOpen: false, stop: async () => {} };
  const database = await startDatabase(data);
  // The SDK would prefer a profile to the embedded database's credentials.
  delete process.env.AWS_PROFILE;
  Object.assign(process.env, databaseEnvironment(database));
  await createTable(LOCAL_TABLE).catch(async (error) => {
    // A running database would keep this process alive.
    await database.stop();
    throw error;
  });
  return { ...place, isOpen: true, stop: () => database.stop() };
}

/** `writes`: the command decides times of items. Import modules of lib/ in `run`, which read own fields on import. */
export async function withTable(
  values: TableValues,
  { writes }: { writes: boolean },
  run: () => Promise<void>,
): Promise<void> {
  requireTable(values);
  requireDatabase(values.data);
  await withPlace({ ...values, sigv4: false }, async () => {
    const { checkClock } = await import('./clock.ts');
    if (writes) await checkClock();
    await run();
  });
}

export async function withPlace(
  values: Values,
  run: (place: Place) => Promise<void>,
  options?: { opensDatabase: boolean },
): Promise<void> {
  const place = await openPlace(values, options);
  try {
    await run(place);
  } finally {
    await place.stop();
  }
}

export function requireTable({ table, data }: TableValues, what = 'This command'): void {
  if (table === undefined && data === undefined) throw new Error(`${what} requires a table: pass --table or --data`);
}

/** Only an import creates a database. Other commands would report an empty one for a mistyped folder. */
export function requireDatabase(folder: string | undefined): void {
  if (folder !== undefined && !hasDatabase(folder))
    throw new Error(`${folder} contains no database: pass the folder of npm start, such as .data`);
}

/** Throws for a folder that this user may not read. */
function hasDatabase(folder: string): boolean {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.some((file) => file.endsWith('.db') && file !== 'lock.db');
}

const hasGroups = (): boolean => 'groups' in environment.readOwnFields();

async function openDeployment({
  url = DEFAULT_URL,
  token = process.env.AUTH_TOKEN,
  ...values
}: Values): Promise<Place> {
  if (values.fields !== undefined)
    throw new Error('--fields requires --table or --data: a deployment publishes its fields');
  const graphqlUrl = values['graphql-url'];
  for (const [name, text] of Object.entries({ url, 'graphql-url': graphqlUrl }))
    if (text !== undefined && !/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
      throw new Error(`--${name} is ${text}; expected: an http or https URL, such as ${DEFAULT_URL}`);
  const deployment = { url, graphqlUrl, token, sigv4: values.sigv4 };
  const { fields, unchecked } = await readOwnFields(deployment).catch((error) => {
    throw new Error(`${graphqlUrl ?? url}: ${describeError(error)}. ${suggest(error)}`);
  });
  environment.readOwnFields = () => fields;
  return { name: url, deployment, unchecked, isEmbedded: false, isOpen: true, stop: async () => {} };
}

export async function openExportSource({ deployment }: Place): Promise<ExportSource> {
  // Import only now, because modules of lib/ read environment variables and own fields on import.
  if (!deployment) return (await import('./table-source.ts')).tableSource;
  const { connect } = await import('./deployment.ts');
  const { ownFields } = await import('../../../lib/users/fields/values.ts');
  const { openServiceSource } = await import('./service-source.ts');
  const fields = ownFields.map(({ name }) => name);
  return openServiceSource(connect(deployment, { maxAttempts: 8, fields }), fields);
}

/** Throws if the place has no groups. */
export async function openGroups({ name, deployment, isOpen }: Place): Promise<GroupStore> {
  if (!hasGroups()) throw new Error(`${name} has no groups: set groups=on`);
  // Import only now, because modules of lib/ read environment variables and own fields on import.
  const { noGroups, openServiceGroups } = await import('./group-store.ts');
  if (!isOpen) return noGroups;
  if (!deployment) return (await import('./table-groups.ts')).tableGroups;
  const { connect } = await import('./deployment.ts');
  return openServiceGroups(connect(deployment, { maxAttempts: 8 }));
}

/** Looks up groups for memberships, also `planned` ones. Undefined without the setting `groups`. */
export async function openGroupIndex(place: Place, planned?: PlannedGroups): Promise<GroupIndex | undefined> {
  if (!hasGroups()) return undefined;
  const { GroupIndex } = await import('../../transfer/memberships.ts');
  const store = await openGroups(place);
  return new GroupIndex(async (names) => [...(planned?.find(names) ?? []), ...(await store.find(names))]);
}

function suggest(error: unknown): string {
  const { status = 0, code = '' } = error instanceof ClientError ? error : {};
  if (status === 401 || code === 'UNAUTHENTICATED')
    return 'Pass a token with --token or the variable AUTH_TOKEN, or sign with --sigv4';
  if (status === 403 || code === 'FORBIDDEN') return 'Use credentials that may do this';
  if (status === 0) return 'Start it, or pass the URL of a running service with --url';
  return 'Pass the URL of the deployment without a path with --url, and the URL of GraphQL, if it differs, with --graphql-url';
}

/** Scripts read and write more items per request than functions. */
function allowLongRequests(): void {
  const limits = { REQUEST_TIME_LIMIT_MS: '60000', ATTEMPT_TIME_LIMIT_MS: '15000' };
  for (const [name, value] of Object.entries(limits)) process.env[name] ??= value;
}
