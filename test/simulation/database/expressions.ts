import { compare, type Item, isEqual, type Value, validation } from './store.ts';

/** Values of the placeholders `#name` and `:value` in an expression. */
export type Attributes = { names: Record<string, string>; values: Record<string, Value> };

const TOKEN = /\s*(<>|<=|>=|[=<>(),.+\-[\]]|[:#]?\w+)/y;

export class Tokens {
  #rest: string[] = [];

  constructor(expression: string) {
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < expression.trimEnd().length) {
      const at = TOKEN.lastIndex;
      const token = TOKEN.exec(expression)?.[1];
      if (token === undefined) throw validation(`Invalid expression: ${expression.slice(at)}`);
      this.#rest.push(token);
    }
  }

  peek(ahead = 0): string | undefined {
    return this.#rest[ahead];
  }

  next(): string {
    const token = this.#rest.shift();
    if (token === undefined) throw validation('Invalid expression: it ends too early');
    return token;
  }

  /** Skips the next token if it is `token`. Returns false otherwise. */
  take(token: string): boolean {
    if (this.#rest[0]?.toUpperCase() !== token) return false;
    this.#rest.shift();
    return true;
  }

  expect(token: string): void {
    if (!this.take(token)) throw validation(`Invalid expression: ${token} expected, not ${this.#rest[0]}`);
  }

  /** Parses parts that are separated by commas. */
  list<Part>(part: () => Part): Part[] {
    const parts = [part()];
    while (this.take(',')) parts.push(part());
    return parts;
  }
}

/** Finds the name of an attribute. Supports no nested paths, because the service uses none. */
export type Path = (attributes: Attributes) => string;

export function parsePath(tokens: Tokens): Path {
  const name = tokens.next();
  return ({ names }) => (name.startsWith('#') ? (names[name] ?? missing(name)) : name);
}

const findValue = (name: string, { values }: Attributes): Value => values[name] ?? missing(name);

function missing(name: string): never {
  throw validation(`An expression attribute used in expression is not defined: ${name}`);
}

type Evaluate<Result> = (item: Item | undefined, attributes: Attributes) => Result;
type Condition = Evaluate<boolean>;
type Operand = Evaluate<Value | undefined>;

const parsed = new Map<string, Condition>();

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html */
export function parseCondition(expression: string): Condition {
  const known = parsed.get(expression);
  if (known) return known;
  const tokens = new Tokens(expression);
  const condition = parseOr(tokens);
  if (tokens.peek() !== undefined) throw validation(`Invalid expression: ${tokens.peek()}`);
  parsed.set(expression, condition);
  return condition;
}

function parseOr(tokens: Tokens): Condition {
  const parts = [parseAnd(tokens)];
  while (tokens.take('OR')) parts.push(parseAnd(tokens));
  return (item, attributes) => parts.some((part) => part(item, attributes));
}

function parseAnd(tokens: Tokens): Condition {
  const parts = [parseTerm(tokens)];
  while (tokens.take('AND')) parts.push(parseTerm(tokens));
  return (item, attributes) => parts.every((part) => part(item, attributes));
}

function parseTerm(tokens: Tokens): Condition {
  if (tokens.take('(')) {
    const part = parseOr(tokens);
    tokens.expect(')');
    return part;
  }
  return tokens.peek(1) === '(' && tokens.peek()?.toLowerCase() !== 'size'
    ? parseFunction(tokens)
    : parseComparison(tokens);
}

function parseFunction(tokens: Tokens): Condition {
  const name = tokens.next();
  tokens.expect('(');
  const operands = tokens.list(() => parseOperand(tokens));
  tokens.expect(')');
  return (item, attributes) =>
    test(
      name,
      operands.map((operand) => operand(item, attributes)),
    );
}

function test(name: string, [left, right]: (Value | undefined)[]): boolean {
  switch (name) {
    case 'attribute_exists':
      return left !== undefined;
    case 'attribute_not_exists':
      return left === undefined;
    case 'begins_with':
      return left?.S !== undefined && right?.S !== undefined && left.S.startsWith(right.S);
    case 'contains':
      return left?.SS?.includes(right?.S ?? '') ?? false;
    default:
      throw validation(`Invalid function name; function: ${name}`);
  }
}

function parseComparison(tokens: Tokens): Condition {
  const left = parseOperand(tokens);
  if (tokens.take('BETWEEN')) {
    const low = parseOperand(tokens);
    tokens.expect('AND');
    const high = parseOperand(tokens);
    return (item, all) => meets('>=', left(item, all), low(item, all)) && meets('<=', left(item, all), high(item, all));
  }
  const operator = tokens.next();
  const right = parseOperand(tokens);
  return (item, all) => meets(operator, left(item, all), right(item, all));
}

function meets(operator: string, left: Value | undefined, right: Value | undefined): boolean {
  if (operator === '=') return isEqual(left, right);
  // As in DynamoDB, a missing attribute differs from every value.
  if (operator === '<>') return !isEqual(left, right);
  const order = compare(left, right);
  if (order === undefined) return false;
  return { '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[operator] ?? false;
}

function parseOperand(tokens: Tokens): Operand {
  const first = tokens.peek() ?? '';
  if (first.startsWith(':')) {
    tokens.next();
    return (_, attributes) => findValue(first, attributes);
  }
  if (first.toLowerCase() === 'size' && tokens.peek(1) === '(') {
    tokens.next();
    tokens.expect('(');
    const inner = parseOperand(tokens);
    tokens.expect(')');
    return (item, attributes) => measureSize(inner(item, attributes));
  }
  const path = parsePath(tokens);
  return (item, attributes) => item?.[path(attributes)];
}

function measureSize(value: Value | undefined): Value | undefined {
  if (!value) return undefined;
  const size = value.S === undefined ? Object.keys(Object.values(value)[0] ?? {}).length : Buffer.byteLength(value.S);
  return { N: String(size) };
}

type FindValue = (attributes: Attributes) => Value;
/** An action of an update, which reads the item as it was before the update. */
type Action = (before: Item, after: Item, attributes: Attributes) => void;
type Update = (item: Item, attributes: Attributes) => Item;

const parsedUpdates = new Map<string, Update>();

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html */
export function parseUpdate(expression: string): Update {
  const known = parsedUpdates.get(expression);
  if (known) return known;
  const tokens = new Tokens(expression);
  const actions: Action[] = [];
  while (tokens.peek() !== undefined) actions.push(...parseClause(tokens));
  const update: Update = (before, attributes) => {
    const after = structuredClone(before);
    for (const action of actions) action(before, after, attributes);
    return after;
  };
  parsedUpdates.set(expression, update);
  return update;
}

function parseRemove(tokens: Tokens): Action {
  const path = parsePath(tokens);
  return (_, after, attributes) => {
    delete after[path(attributes)];
  };
}

function parseClause(tokens: Tokens): Action[] {
  const clause = tokens.next().toUpperCase();
  switch (clause) {
    case 'SET':
      return tokens.list(() => parseSet(tokens));
    case 'ADD':
    case 'DELETE':
      return tokens.list(() => parseAddOrDelete(tokens, clause));
    case 'REMOVE':
      return tokens.list(() => parseRemove(tokens));
    default:
      throw validation(`Invalid UpdateExpression: ${clause}`);
  }
}

function parseSet(tokens: Tokens): Action {
  const path = parsePath(tokens);
  tokens.expect('=');
  if (tokens.peek(1) === '+') return parseSum(tokens, path);
  const value = parseValue(tokens);
  return (_, after, all) => write(after, path(all), value(all));
}

/** A counter is the sum of an attribute and a value. */
function parseSum(tokens: Tokens, path: Path): Action {
  const operand = parsePath(tokens);
  tokens.expect('+');
  const value = parseValue(tokens);
  return (before, after, all) => {
    const old = before[operand(all)];
    if (!old) throw validation('The provided expression refers to an attribute that does not exist in the item');
    write(after, path(all), add(old, value(all)));
  };
}

/** Supports no copied attributes, because the service's updates use none. */
function parseValue(tokens: Tokens): FindValue {
  const name = tokens.next();
  return (attributes) => findValue(name, attributes);
}

function parseAddOrDelete(tokens: Tokens, clause: 'ADD' | 'DELETE'): Action {
  const path: Path = parsePath(tokens);
  const operand = parseValue(tokens);
  return (before, after, all) => {
    const [old, value] = [before[path(all)], operand(all)];
    write(after, path(all), value.N !== undefined ? add(old ?? { N: '0' }, value) : changeSet(old, value, clause));
  };
}

function changeSet(old: Value | undefined, value: Value, clause: 'ADD' | 'DELETE'): Value | undefined {
  const [type = 'SS', members = []] = Object.entries(value)[0] ?? [];
  const had = new Set<string>((Object.values(old ?? {})[0] as string[] | undefined) ?? []);
  for (const member of members as string[]) clause === 'ADD' ? had.add(member) : had.delete(member);
  return had.size > 0 ? { [type]: [...had] } : undefined;
}

function add(left: Value, right: Value): Value {
  if (left.N === undefined || right.N === undefined)
    throw validation('An operand in the update expression has an incorrect data type');
  return { N: String(Number(left.N) + Number(right.N)) };
}

function write(item: Item, name: string, value: Value | undefined): void {
  if (value === undefined) delete item[name];
  else item[name] = value;
}
