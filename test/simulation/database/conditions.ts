import { validation } from './errors.ts';
import { compare, type Item, isEqual, readType, type Value } from './store.ts';

/** What an expression refers to: `#names`, `:values`. */
export type Attributes = { names: Record<string, string>; values: Record<string, Value> };

const TOKEN = /\s*(<>|<=|>=|[=<>(),.+\-[\]]|[:#]?\w+)/y;

/** The words and signs of an expression, taken one by one. */
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

  /** Takes the next one if it is this word or sign. */
  take(token: string): boolean {
    if (this.#rest[0]?.toUpperCase() !== token) return false;
    this.#rest.shift();
    return true;
  }

  expect(token: string): void {
    if (!this.take(token)) throw validation(`Invalid expression: ${token} expected, not ${this.#rest[0]}`);
  }

  /** One or more, separated by commas. */
  list<Part>(part: () => Part): Part[] {
    const parts = [part()];
    while (this.take(',')) parts.push(part());
    return parts;
  }
}

export type Path = (attributes: Attributes) => string[];

export function parsePath(tokens: Tokens): Path {
  const parts = [tokens.next()];
  while (tokens.take('.')) parts.push(tokens.next());
  return ({ names }) => parts.map((part) => (part.startsWith('#') ? (names[part] ?? missing(part)) : part));
}

export const findValue = (name: string, { values }: Attributes): Value => values[name] ?? missing(name);

function missing(name: string): never {
  throw validation(`An expression attribute used in expression is not defined: ${name}`);
}

export const readPath = (item: Item | undefined, [name = '', ...rest]: string[]): Value | undefined =>
  rest.length === 0 ? item?.[name] : readPath(item?.[name]?.M, rest);

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
  const parts = [parseNot(tokens)];
  while (tokens.take('AND')) parts.push(parseNot(tokens));
  return (item, attributes) => parts.every((part) => part(item, attributes));
}

function parseNot(tokens: Tokens): Condition {
  if (tokens.take('NOT')) {
    const part = parseNot(tokens);
    return (item, attributes) => !part(item, attributes);
  }
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
    case 'attribute_type':
      return left !== undefined && readType(left) === right?.S;
    case 'begins_with':
      return left?.S !== undefined && right?.S !== undefined && left.S.startsWith(right.S);
    case 'contains':
      return contains(left, right);
    default:
      throw validation(`Invalid function name; function: ${name}`);
  }
}

function contains(left: Value | undefined, right: Value | undefined): boolean {
  if (left?.S !== undefined && right?.S !== undefined) return left.S.includes(right.S);
  if (left?.L) return left.L.some((each) => isEqual(each, right));
  return (left?.SS ?? left?.NS ?? left?.BS ?? []).includes(right?.S ?? right?.N ?? right?.B ?? '');
}

function parseComparison(tokens: Tokens): Condition {
  const left = parseOperand(tokens);
  if (tokens.take('BETWEEN')) {
    const low = parseOperand(tokens);
    tokens.expect('AND');
    const high = parseOperand(tokens);
    return (item, all) => meets('>=', left(item, all), low(item, all)) && meets('<=', left(item, all), high(item, all));
  }
  if (tokens.take('IN')) {
    tokens.expect('(');
    const options = tokens.list(() => parseOperand(tokens));
    tokens.expect(')');
    return (item, all) => options.some((option) => isEqual(left(item, all), option(item, all)));
  }
  const operator = tokens.next();
  const right = parseOperand(tokens);
  return (item, all) => meets(operator, left(item, all), right(item, all));
}

function meets(operator: string, left: Value | undefined, right: Value | undefined): boolean {
  if (operator === '=') return isEqual(left, right);
  // An attribute that is missing differs from every value.
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
  return (item, attributes) => readPath(item, path(attributes));
}

function measureSize(value: Value | undefined): Value | undefined {
  if (!value) return undefined;
  const size = value.S === undefined ? Object.keys(Object.values(value)[0] ?? {}).length : Buffer.byteLength(value.S);
  return { N: String(size) };
}
