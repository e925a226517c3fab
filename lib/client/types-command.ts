import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createClient, type TypedDocument } from './client.ts';

const USAGE = `Usage: user-management-types SOURCE [--token TOKEN]

Writes the TypeScript type of the own fields that a service declares.

SOURCE is its OpenAPI document, as a URL that ends in .json or as a file:
  user-management-types http://localhost:3000/openapi.json > fields.ts
or the URL of its GraphQL, which does not tell which values a field allows:
  user-management-types https://….on.aws/ --token "$TOKEN" > fields.ts`;

type Member = { name: string; type: string; isRequired: boolean; comment: string | undefined };

/** The command `npx user-management-types`. */
export async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { token: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
    allowPositionals: true,
  });
  const [source] = positionals;
  if (values.help) return print(`${USAGE}\n`);
  if (!source || positionals.length > 1) throw new Error(USAGE);
  try {
    print(printFields(await readMembers(source, values)));
  } catch (error) {
    throw new Error(`Cannot read the own fields from ${source}: ${error instanceof Error ? error.message : error}`);
  }
}

async function readMembers(source: string, options: Options): Promise<Member[]> {
  if (!/^https?:\/\//.test(source)) return readOpenApi(await readFile(source, 'utf8'));
  return new URL(source).pathname.endsWith('.json')
    ? readOpenApi(await download(source, options))
    : readGraphql(source, options);
}

const print = (text: string) => void process.stdout.write(text);

function printFields(members: Member[]): string {
  const lines = members.map(({ name, type, isRequired, comment }) => {
    const documentation = comment ? `  /** ${comment.replaceAll('*/', '*\\/')} */\n` : '';
    return `${documentation}  ${name}${isRequired ? '' : '?'}: ${type};\n`;
  });
  return `/** The own fields of users. */\nexport type Fields = {\n${lines.join('')}};\n`;
}

type Options = { token?: string | undefined };

async function download(url: string, { token }: Options): Promise<string> {
  const response = await fetch(url, { headers: token ? { authorization: `Bearer ${token}` } : {} });
  if (!response.ok) throw new Error(`the answer has the status ${response.status}`);
  return response.text();
}

type Schema = {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  description?: string;
  deprecated?: boolean;
};
type UserSchema = { properties: Record<string, Schema>; required?: string[] };
type OpenApi = { components?: { schemas?: Record<string, Schema> & { User?: UserSchema; UserInput?: UserSchema } } };

const OF_EVERY_USER = ['id', 'name', 'email', 'createdAt', 'updatedAt', 'version'];

/** A member is required if creations require the field, although older users may lack a value. */
function readOpenApi(text: string): Member[] {
  const { components: { schemas = {} } = {} }: OpenApi = JSON.parse(text);
  const { User: user, UserInput: input } = schemas;
  if (!user || !input) throw new Error('it is not the OpenAPI document of a User Management Service');
  const own = Object.entries(user.properties).filter(([name]) => !OF_EVERY_USER.includes(name));
  return own.map(([name, property]) => {
    const schema = resolve(property);
    return {
      name,
      type: printType(schema),
      isRequired: input.required?.includes(name) ?? false,
      comment: [schema.deprecated && '@deprecated', schema.description].filter(Boolean).join(' '),
    };
  });

  function resolve(schema: Schema): Schema {
    return (schema.$ref && schemas[schema.$ref.replace('#/components/schemas/', '')]) || schema;
  }

  function printType(schema: Schema): string {
    const { type = 'unknown', enum: values, const: value, items, properties } = resolve(schema);
    if (values) return values.map((each) => JSON.stringify(each)).join(' | ');
    if (value !== undefined) return JSON.stringify(value);
    if (items) return `Array<${printType(items)}>`;
    if (properties)
      return `{ ${Object.entries(properties)
        .map(([name, each]) => `${name}: ${printType(each)}`)
        .join('; ')} }`;
    return type === 'integer' ? 'number' : type;
  }
}

type TypeRef = { kind: string; name: string | null; ofType: TypeRef | null };
type Field = { name: string; description: string | null; deprecationReason: string | null; type: TypeRef };
type Introspection = { user: { fields: Field[] }; input: { inputFields: Field[] } };

const REF = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }';
const introspection: TypedDocument<Introspection, Record<string, never>> = `{
  user: __type(name: "User") { fields(includeDeprecated: true) { name description deprecationReason type { ${REF} } } }
  input: __type(name: "CreateUserInput") { inputFields(includeDeprecated: true) { name type { ${REF} } } }
}`;

async function readGraphql(graphqlUrl: string, { token }: Options): Promise<Member[]> {
  const client = createClient({ baseUrl: '', graphqlUrl, auth: token });
  const { user, input } = await client.graphql(introspection);
  const own = input.inputFields.filter(({ name }) => !['name', 'email', 'idempotencyKey'].includes(name));
  return own.map(({ name, type }) => {
    const { description, deprecationReason } = user.fields.find((field) => field.name === name) ?? {};
    const comment = [description, deprecationReason && `@deprecated ${deprecationReason}`].filter(Boolean).join(' ');
    return { name, type: printRef(type), isRequired: type.kind === 'NON_NULL', comment };
  });
}

const TYPES: Record<string, string> = {
  Int: 'number',
  Float: 'number',
  Boolean: 'boolean',
  JSON: 'unknown',
  MembershipInput: '{ id: string; role: string }',
};

function printRef({ kind, name, ofType }: TypeRef): string {
  if (kind === 'LIST' && ofType) return `Array<${printRef(ofType)}>`;
  return ofType ? printRef(ofType) : (TYPES[name ?? ''] ?? 'string');
}
