import { parseArgs } from 'node:util';
import { createClient, type TypedDocument } from './client.ts';

const USAGE = `user-management-types URL [--token TOKEN]
Writes the TypeScript type of the own fields that a deployment declares. URL is that of GraphQL.`;

type TypeRef = { kind: string; name: string | null; ofType: TypeRef | null };
type Field = { name: string; description: string | null; deprecationReason: string | null; type: TypeRef };
type Schema = { user: { fields: Field[] }; input: { inputFields: Field[] } };

const REF = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }';
const introspection: TypedDocument<Schema, Record<string, never>> = `{
  user: __type(name: "User") { fields(includeDeprecated: true) { name description deprecationReason type { ${REF} } } }
  input: __type(name: "CreateUserInput") { inputFields(includeDeprecated: true) { name type { ${REF} } } }
}`;

const TYPES: Record<string, string> = { Int: 'number', Float: 'number', Boolean: 'boolean' };

/** Every user has these, and so has every input that creates one. */
const COMMON = ['name', 'email', 'idempotencyKey'];

/** What is stored may lack a field that is required by now, but nobody can create a user without it. */
function printFields({ user, input }: Schema): string {
  const own = input.inputFields.filter(({ name }) => !COMMON.includes(name));
  const members = own.map(({ name, type }) => {
    const { description, deprecationReason } = user.fields.find((field) => field.name === name) ?? {};
    const comment = [description, deprecationReason && `@deprecated ${deprecationReason}`].filter(Boolean).join(' ');
    const mark = type.kind === 'NON_NULL' ? '' : '?';
    return `${comment ? `  /** ${comment.replaceAll('*/', '*\\/')} */\n` : ''}  ${name}${mark}: ${printType(type)};\n`;
  });
  return `/** The own fields of users. */\nexport type Fields = {\n${members.join('')}};\n`;
}

function printType({ kind, name, ofType }: TypeRef): string {
  if (kind === 'LIST' && ofType) return `${printType(ofType)}[]`;
  return ofType ? printType(ofType) : (TYPES[name ?? ''] ?? 'string');
}

/** The command of the package. */
export async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: { token: { type: 'string' } }, allowPositionals: true });
  const [graphqlUrl] = positionals;
  if (!graphqlUrl) throw new Error(USAGE);
  const { token: auth } = values;
  const client = createClient({ baseUrl: '', graphqlUrl, ...(auth ? { auth } : {}) });
  process.stdout.write(printFields(await client.graphql(introspection)));
}
