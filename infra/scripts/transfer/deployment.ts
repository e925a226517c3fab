import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AwsClient } from 'aws4fetch';
import {
  type Auth,
  type Client,
  type ClientOptions,
  createClient,
  type TypedDocument,
} from '../../../lib/client/client.ts';
import type { FieldDeclaration, FieldType } from '../../../lib/features/own-fields/declaration.ts';

export type DeploymentOptions = {
  url: string;
  graphqlUrl?: string | undefined;
  token?: string | undefined;
  /** Signs requests with the AWS credentials of the environment. */
  sigv4: boolean;
};

type ConnectOptions = { maxAttempts?: number; fields?: readonly string[] };

/** The client makes one attempt by default: whether there is another is decided where the pace is. */
export function connect(
  { url, graphqlUrl, token, sigv4 }: DeploymentOptions,
  { maxAttempts = 1, fields = [] }: ConnectOptions = {},
): Client {
  const auth = sigv4 ? createSigner() : token;
  const options: ClientOptions = { baseUrl: url, fields, retries: { maxAttempts } };
  return createClient({ ...options, ...(graphqlUrl ? { graphqlUrl } : {}), ...(auth ? { auth } : {}) });
}

/** Credentials of a role expire: the SDK provides the current ones for each request. */
function createSigner(): Auth {
  const { credentials } = new DynamoDBClient({}).config;
  return {
    async sign(url, init) {
      const { accessKeyId, secretAccessKey, sessionToken } = await credentials();
      const client = new AwsClient({ accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) });
      return client.sign(url, init);
    },
  };
}

type TypeRef = { kind: string; name: string | null; ofType: TypeRef | null };
type Schema = {
  input: { inputFields: { name: string; type: TypeRef }[] };
  query: { fields: { name: string; args: { name: string }[] }[] };
};

const introspection: TypedDocument<Schema, Record<string, never>> = `{
  input: __type(name: "CreateUserInput") { inputFields(includeDeprecated: true) { name type { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } }
  query: __type(name: "Query") { fields { name args { name } } }
}`;

const TYPES: Record<string, FieldType> = {
  Int: 'integer',
  Float: 'number',
  Boolean: 'boolean',
  Date: 'date',
  DateTime: 'dateTime',
};
const COMMON = ['name', 'email', 'idempotencyKey'];
const LARGEST = 8_000;

/**
 * The own fields of a deployment. Their limits are not known here: the service checks them. A text is sent as it is, which a
 * pattern stands for.
 */
export async function readOwnFields(client: Client): Promise<Record<string, FieldDeclaration>> {
  const { input, query } = await client.graphql(introspection);
  const own = input.inputFields.filter(({ name }) => !COMMON.includes(name));
  // Each unique field has a query userBy…, whose argument it is.
  const unique = query.fields.flatMap(({ name, args }) =>
    name.startsWith('userBy') ? args.map(({ name }) => name) : [],
  );
  return Object.fromEntries(own.map(({ name, type }) => [name, { ...declare(type), unique: unique.includes(name) }]));
}

function declare({ kind, name, ofType }: TypeRef): FieldDeclaration {
  if (kind === 'NON_NULL' && ofType) return { ...declare(ofType), required: true };
  if (kind === 'LIST' && ofType) return { ...declare(ofType), required: false, list: true, maxItems: LARGEST };
  const type = TYPES[name ?? ''] ?? 'string';
  return type === 'string' ? { type, maxLength: LARGEST, pattern: '^' } : { type };
}
