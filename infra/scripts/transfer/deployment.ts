import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AwsClient } from 'aws4fetch';
import * as z from 'zod';
import { type Auth, type Client, createClient, type TypedDocument } from '../../../lib/client/client.ts';
import { rangeName } from '../../../lib/features/filters/keys.ts';
import { describeRoles, type FieldDeclaration, type FieldType } from '../../../lib/users/fields/declaration.ts';
import { describeMultilineText, describePlainText } from '../../openapi/values.ts';

export type DeploymentOptions = {
  url: string;
  graphqlUrl?: string | undefined;
  token?: string | undefined;
  sigv4: boolean;
};

type ConnectOptions = { maxAttempts?: number; fields?: readonly string[] };

/** Retries only if `maxAttempts` is set, because imports retry with `Pace`. */
export function connect(
  { url, graphqlUrl, token, sigv4 }: DeploymentOptions,
  { maxAttempts = 1, fields = [] }: ConnectOptions = {},
): Client {
  const auth = sigv4 ? createSigner() : token;
  return createClient({ baseUrl: url, graphqlUrl, auth, fields, retries: { maxAttempts } });
}

/** Asks the SDK per request, because credentials of roles expire. */
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
  filter: { inputFields: { name: string; type: { name: string | null } }[] };
  /** Null without groups. */
  membership: { inputFields: { name: string; description: string | null }[] } | null;
};

const introspection: TypedDocument<Schema, Record<string, never>> = `{
  input: __type(name: "CreateUserInput") { inputFields(includeDeprecated: true) { name type { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } }
  query: __type(name: "Query") { fields { name args { name } } }
  filter: __type(name: "UserFilter") { inputFields(includeDeprecated: true) { name type { name } } }
  membership: __type(name: "MembershipInput") { inputFields { name description } }
}`;

const TYPES: Record<string, FieldType> = {
  Int: 'integer',
  Float: 'number',
  Boolean: 'boolean',
  Date: 'date',
  DateTime: 'dateTime',
  JSON: 'json',
  MembershipInput: 'membership',
};
const COMMON = ['name', 'email', 'idempotencyKey'];
const LARGEST = 8_000;

export type DeployedFields = {
  fields: Record<string, FieldDeclaration>;
  /** Fields without limits in the deployment's OpenAPI document. */
  unchecked: readonly string[];
};

export async function readOwnFields(deployment: DeploymentOptions): Promise<DeployedFields> {
  const limited = await readLimits(deployment);
  const fields = await introspectOwnFields(connect(deployment, { maxAttempts: 3 }));
  return {
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        { ...(limited[name] ?? field), filter: field.filter ?? false, sort: field.sort ?? false },
      ]),
    ),
    unchecked: Object.keys(fields).filter((name) => !limited[name]),
  };
}

/** GraphQL contains no limits. Texts get a pattern, which keeps them from being trimmed. */
async function introspectOwnFields(client: Client): Promise<Record<string, FieldDeclaration>> {
  const { input, query, filter, membership } = await client.graphql(introspection);
  const role = membership?.inputFields.find(({ name }) => name === 'role');
  const roles = parseRoles(role?.description ?? '');
  const own = input.inputFields.filter(({ name }) => !COMMON.includes(name));
  const unique = query.fields.flatMap(({ name, args }) =>
    name.startsWith('userBy') ? args.map(({ name }) => name) : [],
  );
  return Object.fromEntries(
    own.map(({ name, type }) => {
      const field = declare(type, roles);
      // GraphQL does not show whether case matters. Assumes that it does: the service rejects other duplicates.
      const isUnique = unique.includes(name) && (field.type === 'string' ? 'exact' : true);
      const isFiltered = filter.inputFields.some((member) => member.name === name);
      const range = filter.inputFields.find((member) => member.name === rangeName(name));
      const isSorted = range?.type.name?.endsWith('Range') ?? false;
      return [name, { ...field, unique: isUnique, filter: isFiltered, sort: isSorted }];
    }),
  );
}

/** Reads the text of `describeRoles`. Undefined for another text. */
function parseRoles(description: string): string[] | undefined {
  const roles = /^One of (.+)\. Default: /.exec(description)?.[1]?.split(', ');
  return roles && describeRoles(roles) === description ? roles : undefined;
}

function declare({ kind, name, ofType }: TypeRef, roles: readonly string[] | undefined): FieldDeclaration {
  if (kind === 'NON_NULL' && ofType) return { ...declare(ofType, roles), required: true };
  if (kind === 'LIST' && ofType) return { ...declare(ofType, roles), required: false, list: true, maxItems: LARGEST };
  const type = TYPES[name ?? ''] ?? 'string';
  if (type === 'json') return { type, maxBytes: LARGEST };
  if (type === 'membership') return { type, default: [], ...(roles ? { roles } : {}) };
  return type === 'string' ? { type, maxLength: LARGEST, multiline: true, pattern: '^' } : { type };
}

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const propertySchema = z.object({
  $ref: z.string().optional(),
  type: z.enum(['string', 'integer', 'number', 'boolean', 'array']).optional(),
  format: z.string().optional(),
  enum: z.array(scalar).optional(),
  const: scalar.optional(),
  pattern: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxItems: z.number().optional(),
  examples: z.array(z.union([scalar, z.array(scalar)])).optional(),
  'x-maxLength': z.number().optional(),
  'x-unique': z.union([z.boolean(), z.literal('exact')]).optional(),
  get items() {
    return propertySchema.optional();
  },
});
type PropertySchema = z.infer<typeof propertySchema>;

const jsonProperty = z.object({ 'x-maxBytes': z.number() });

/** The list, or null. */
const membershipsProperty = z.object({
  anyOf: z.tuple([
    z.object({
      type: z.literal('array'),
      maxItems: z.number(),
      items: z.object({ properties: z.object({ id: z.unknown(), role: z.object({ enum: z.array(z.string()) }) }) }),
    }),
    z.unknown(),
  ]),
});

const openApiSchemas = z.looseObject({
  UserInput: z.object({ required: z.array(z.string()), properties: z.record(z.string(), z.unknown()) }),
});
const openApiDocument = z.object({ components: z.object({ schemas: openApiSchemas }) });

const DOCUMENT_TIMEOUT_MS = 10_000;

/** Only deployments with a console serve the document. */
async function readLimits({ url, token }: DeploymentOptions): Promise<Partial<Record<string, FieldDeclaration>>> {
  const document = await fetch(`${url.replace(/\/+$/, '')}/openapi.json`, {
    headers: token ? { authorization: `Bearer ${token}` } : {},
    signal: AbortSignal.timeout(DOCUMENT_TIMEOUT_MS),
  })
    .then((response) => response.json())
    .catch(() => undefined);
  const schemas = openApiDocument.safeParse(document).data?.components.schemas;
  if (!schemas) return {};
  const { properties, required } = schemas.UserInput;
  const own = Object.entries(properties).filter(([name]) => !COMMON.includes(name));
  return Object.fromEntries(
    own.map(([name, property]) => {
      const field = declareProperty(property, schemas);
      return [name, field && { ...field, required: required.includes(name) }];
    }),
  );
}

function declareProperty(property: unknown, schemas: Record<string, unknown>): FieldDeclaration | undefined {
  const json = jsonProperty.safeParse(property).data;
  if (json) return { type: 'json', maxBytes: json['x-maxBytes'] };
  const memberships = membershipsProperty.safeParse(property).data;
  if (memberships) {
    const [{ maxItems, items }] = memberships.anyOf;
    return { type: 'membership', list: true, maxItems, roles: items.properties.role.enum, default: [] };
  }
  const schema = propertySchema.safeParse(property).data;
  const target = schema?.$ref?.replace('#/components/schemas/', '');
  if (target) return declareProperty(schemas[target], schemas);
  if (!schema?.type) return undefined;
  const { type, items, maxItems, examples: [example] = [], 'x-unique': unique = false } = schema;
  if (type !== 'array')
    return { ...declareItem({ ...schema, type }), unique, ...(example === undefined ? {} : { example }) };
  const item = declareProperty({ 'x-maxLength': schema['x-maxLength'], ...items }, schemas);
  return item && { ...item, unique, list: true, ...(maxItems === undefined ? {} : { maxItems }) };
}

const FORMATS: Record<string, FieldType> = { date: 'date', 'date-time': 'dateTime' };

function declareItem({
  type,
  format = '',
  enum: values,
  const: value,
  pattern,
  minimum,
  maximum,
  'x-maxLength': maxLength,
}: PropertySchema & { type: FieldType }): FieldDeclaration {
  const allowed = values ?? (value === undefined ? undefined : [value]);
  if (allowed) return { type, enum: allowed };
  if (FORMATS[format]) return { type: FORMATS[format] };
  if (type === 'string' && maxLength !== undefined && pattern === describeMultilineText(maxLength).pattern)
    return { type, maxLength, multiline: true };
  if (type === 'string' && maxLength !== undefined)
    // Omits the default pattern: the service adds it to fields without a declared one.
    return { type, maxLength, ...(pattern && pattern !== describePlainText(maxLength).pattern ? { pattern } : {}) };
  return { type, ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) };
}
