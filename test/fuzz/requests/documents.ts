import '../own-fields.ts';
import {
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

// Imported late, because the schema reads own fields on import.
const { schema } = await import('../../../lib/graphql/schema/schema.ts');

/** Choices by numbers. Shrinking the numbers simplifies the document, so 0 must be the simplest choice. */
export type Choices = { choose(count: number): number; pick<Value>(values: readonly Value[]): Value };

export function createChoices(numbers: readonly number[]): Choices {
  let position = 0;
  const choose = (count: number) => (numbers[position++] ?? 0) % count;
  return {
    choose,
    pick(values) {
      const value = values[choose(values.length)];
      if (value === undefined) throw new Error('Nothing to pick from');
      return value;
    },
  };
}

export type Document = { query: string; variables: Record<string, unknown> };

/** Documents are valid except for argument values from `texts`. */
export function createDocument(choices: Choices, texts: readonly string[]): Document {
  const { choose, pick } = choices;
  const isMutation = choose(3) === 2;
  // Omits the author with many posts from mutations, which could delete this author.
  const ids = isMutation ? texts : ['AUTHOR_0_', ...texts];
  const variables: Record<string, unknown> = {};
  const declarations: string[] = [];
  const fragments: string[] = [];

  function writeSelection(type: GraphQLObjectType, depth: number): string {
    const fields = Object.values(type.getFields());
    const selected = Array.from({ length: 1 + choose(4) }, () => {
      const field = pick(fields);
      const fieldType = getNamedType(field.type);
      if (isObjectType(fieldType) && depth === 0) return '__typename';
      const given = field.args.filter(({ type }) => isNonNullType(type) || choose(3) === 1);
      const args = given.map(({ name, type }) => `${name}: ${writeValue(type)}`);
      const selection = isObjectType(fieldType) ? ` ${writeSelection(fieldType, depth - 1)}` : '';
      const directive = pick(['', '', '', '', '', ' @include(if: true)', ' @skip(if: true)']);
      return `${writeAlias()}${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${directive}${selection}`;
    });
    const text = `{ ${selected.join(' ')} }`;
    return choose(8) === 7 ? writeFragment(type, text) : text;
  }

  let aliases = 0;
  const writeAlias = () => (choose(3) === 0 ? '' : `a${aliases++}: `);

  function writeFragment(type: GraphQLObjectType, selection: string): string {
    const name = `F${fragments.length}`;
    // The spread sometimes forms a cycle of fragments.
    const spread = choose(4) === 3 ? ` ...F${choose(fragments.length + 2)}` : '';
    fragments.push(`fragment ${name} on ${type.name} ${selection.slice(0, -1)}${spread} }`);
    return `{ ...${name} ...${name} }`;
  }

  function writeValue(type: GraphQLInputType): string {
    if (choose(5) !== 4) return writeLiteral(createValue(type));
    const name = `v${declarations.length}`;
    declarations.push(`$${name}: ${type}`);
    variables[name] = createValue(type);
    return `$${name}`;
  }

  function createValue(type: GraphQLInputType): unknown {
    if (isNonNullType(type)) return createValue(type.ofType);
    if (isListType(type)) return [createValue(type.ofType)];
    if (choose(30) === 29) return pick([null, 1.5, true, [], {}, 'x', -1, [[1]], { a: { b: [{ c: 'x' }] } }]);
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(({ type }) => isNonNullType(type) || choose(2) === 1);
      return Object.fromEntries(fields.map(({ name, type }) => [name, createValue(type)]));
    }
    if (isEnumType(type)) return new EnumValue(pick(type.getValues()).name);
    if (`${type}` === 'Int') return pick([1, 2, 20, 100, 101, 0, -1, 2 ** 31, 5000]);
    if (`${type}` === 'Float') return pick([1.5, 0, -1e-7, 1e300, 9007199254740991, 1e-300]);
    if (`${type}` === 'Boolean') return pick([true, false]);
    if (`${type}` === 'Date') return pick(['2026-01-31', '2026-02-30', ...ids]);
    return pick(ids);
  }

  const type = isMutation ? schema.getMutationType() : schema.getQueryType();
  if (!type) throw new Error('The schema has queries and mutations');
  const operation = isMutation ? 'mutation' : 'query';
  const selection = writeSelection(type, pick([3, 2, 4, 6, 11]));
  return { query: assemble(operation, declarations, selection, fragments), variables };
}

export function createSubscription(choices: Choices, texts: readonly string[]): Document {
  const { choose, pick } = choices;
  const id = JSON.stringify(pick(texts));
  const after = choose(3) === 2 ? `, after: ${JSON.stringify(pick(texts))}` : '';
  const nested = 'posts(first: 2) { id author { id } }';
  const root = pick([
    `userChanged(id: "USER_0_"${after}) { cursor kind at user { id name } }`,
    `userChanged(id: ${id}${after}) { cursor kind user { id ${nested} } }`,
    `postChanged(authorId: "USER_1_"${after}) { cursor post { id title author { id } } }`,
    `postChanged(authorId: ${id}${after}) { cursor post { id } }`,
    'userChanged { id }',
    'userChanged @include(if: false) { id }',
    '...Root',
    'userChanged { id } postChanged(authorId: "x") { id }',
  ]);
  return { query: `subscription { ${root} } fragment Root on Subscription { userChanged { id } }`, variables: {} };
}

class EnumValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
  toJSON(): string {
    return this.name;
  }
}

function writeLiteral(value: unknown): string {
  if (value instanceof EnumValue) return value.name;
  if (Array.isArray(value)) return `[${value.map(writeLiteral).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, member]) => `${name}: ${writeLiteral(member)}`)
    .join(', ')} }`;
}

function assemble(operation: string, declarations: string[], selection: string, fragments: string[]): string {
  const declared = declarations.length > 0 ? ` Q(${declarations.join(', ')})` : '';
  return [`${operation}${declared} ${selection}`, ...fragments].join(' ');
}
