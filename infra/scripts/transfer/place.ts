import { environment } from '../../../lib/environment.ts';
import { databaseEnvironment, startDatabase } from '../../local/database/start.ts';
import { createTable, LOCAL_TABLE } from '../../local/table.ts';
import { provideOwnFields } from '../../own-fields/provide.ts';
import { type DeploymentOptions, readOwnFields } from './deployment.ts';

/** The options with which both commands name where users are. */
export const placeOptions = {
  url: { type: 'string' },
  'graphql-url': { type: 'string' },
  token: { type: 'string' },
  sigv4: { type: 'boolean', default: false },
  table: { type: 'string' },
  data: { type: 'string' },
  fields: { type: 'string' },
} as const;

export const PLACE_HELP = `  --url URL          a deployment, by its APIs; http://localhost:3000 by default, which npm start runs
  --graphql-url URL  the URL of GraphQL, if it is not that of the APIs
  --token TOKEN      a token, or the variable AUTH_TOKEN; --sigv4 signs with the AWS credentials of the environment instead
  --table NAME       a table, with the AWS credentials of the environment
  --data DIR         the embedded database in a folder, while the service that uses it is stopped
  --fields FILE      the own fields that users of the table have, from a JSON file, not those of infra/environments.ts`;

type Values = {
  url?: string | undefined;
  'graphql-url'?: string | undefined;
  token?: string | undefined;
  sigv4: boolean;
  table?: string | undefined;
  data?: string | undefined;
  fields?: string | undefined;
};

/** A deployment, or a table that the environment of this process names. */
export type Place = {
  name: string;
  deployment?: DeploymentOptions;
  /** The own fields whose limits are not known on this machine. */
  unchecked: readonly string[];
  isEmbedded: boolean;
  stop(): Promise<void>;
};

const DEFAULT_URL = 'http://localhost:3000';

/**
 * Prepares the environment of this process, own fields included, for the place. Modules that read it have to be imported
 * after that. Throws an error of one sentence.
 */
export async function openPlace(values: Values): Promise<Place> {
  const { url, table, data, fields } = values;
  if ([url, table, data].filter((value) => value !== undefined).length > 1)
    throw new Error('Only one of --url, --table and --data can be given');
  if (table === undefined && data === undefined) return openDeployment(values);
  provideOwnFields(fields);
  allowLongRequests();
  process.env.TABLE_NAME = table ?? LOCAL_TABLE;
  if (data === undefined) return { name: `table ${table}`, unchecked: [], isEmbedded: false, stop: async () => {} };
  const database = await startDatabase(data);
  // The SDK would prefer the person's profile.
  delete process.env.AWS_PROFILE;
  Object.assign(process.env, databaseEnvironment(database));
  await createTable(LOCAL_TABLE);
  return { name: `folder ${data}`, unchecked: [], isEmbedded: true, stop: () => database.stop() };
}

async function openDeployment({
  url = DEFAULT_URL,
  token = process.env.AUTH_TOKEN,
  ...values
}: Values): Promise<Place> {
  if (values.fields !== undefined) throw new Error('--fields is for tables: a deployment tells its own fields itself');
  const deployment = { url, graphqlUrl: values['graphql-url'], token, sigv4: values.sigv4 };
  const { fields, unchecked } = await readOwnFields(deployment);
  environment.readOwnFields = () => fields;
  return { name: url, deployment, unchecked, isEmbedded: false, stop: async () => {} };
}

/** Requests of scripts read and write many items: they may take longer than those of a function. */
export function allowLongRequests(): void {
  const limits = { REQUEST_TIME_LIMIT_MS: '60000', ATTEMPT_TIME_LIMIT_MS: '15000' };
  for (const [name, value] of Object.entries(limits)) process.env[name] ??= value;
}
