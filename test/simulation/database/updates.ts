import { type Attributes, findValue, type Path, parsePath, readPath, Tokens } from './conditions.ts';
import { validation } from './errors.ts';
import type { Item, Value } from './store.ts';

type Operand = (item: Item, attributes: Attributes) => Value;
/** Each action reads the item as it was before all of them. */
type Action = (before: Item, after: Item, attributes: Attributes) => void;
type Update = (item: Item, attributes: Attributes) => Item;

const parsed = new Map<string, Update>();

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html */
export function parseUpdate(expression: string): Update {
  const known = parsed.get(expression);
  if (known) return known;
  const tokens = new Tokens(expression);
  const actions: Action[] = [];
  while (tokens.peek() !== undefined) actions.push(...parseClause(tokens));
  const update: Update = (before, attributes) => {
    const after = structuredClone(before);
    for (const action of actions) action(before, after, attributes);
    return after;
  };
  parsed.set(expression, update);
  return update;
}

function parseClause(tokens: Tokens): Action[] {
  const clause = tokens.next().toUpperCase();
  switch (clause) {
    case 'SET':
      return tokens.list(() => parseSet(tokens));
    case 'REMOVE':
      return tokens.list(() => {
        const path = parsePath(tokens);
        return (_, after, attributes) => write(after, path(attributes), undefined);
      });
    case 'ADD':
    case 'DELETE':
      return tokens.list(() => parseAddOrDelete(tokens, clause));
    default:
      throw validation(`Invalid UpdateExpression: ${clause}`);
  }
}

function parseSet(tokens: Tokens): Action {
  const path = parsePath(tokens);
  tokens.expect('=');
  const left = parseOperand(tokens);
  const sign = tokens.take('+') ? 1 : tokens.take('-') ? -1 : 0;
  if (sign === 0) return (before, after, all) => write(after, path(all), left(before, all));
  const right = parseOperand(tokens);
  return (before, after, all) => write(after, path(all), add(left(before, all), right(before, all), sign));
}

function parseOperand(tokens: Tokens): Operand {
  const first = tokens.peek() ?? '';
  if (first.startsWith(':')) {
    tokens.next();
    return (_, attributes) => findValue(first, attributes);
  }
  if (tokens.peek(1) === '(') return parseFunction(tokens);
  const path = parsePath(tokens);
  return (item, attributes) => readPath(item, path(attributes)) ?? noAttribute();
}

function parseFunction(tokens: Tokens): Operand {
  const name = tokens.next();
  tokens.expect('(');
  if (name === 'if_not_exists') {
    const path = parsePath(tokens);
    tokens.expect(',');
    const otherwise = parseOperand(tokens);
    tokens.expect(')');
    return (item, all) => readPath(item, path(all)) ?? otherwise(item, all);
  }
  if (name !== 'list_append') throw validation(`Invalid function name; function: ${name}`);
  const lists = tokens.list(() => parseOperand(tokens));
  tokens.expect(')');
  return (item, all) => ({ L: lists.flatMap((list) => list(item, all).L ?? []) });
}

function parseAddOrDelete(tokens: Tokens, clause: 'ADD' | 'DELETE'): Action {
  const path: Path = parsePath(tokens);
  const operand = parseOperand(tokens);
  return (before, after, all) => {
    const [old, value] = [readPath(before, path(all)), operand(before, all)];
    write(after, path(all), value.N !== undefined ? add(old ?? { N: '0' }, value, 1) : changeSet(old, value, clause));
  };
}

function changeSet(old: Value | undefined, value: Value, clause: 'ADD' | 'DELETE'): Value | undefined {
  const [type = 'SS', members = []] = Object.entries(value)[0] ?? [];
  const had = new Set<string>((Object.values(old ?? {})[0] as string[] | undefined) ?? []);
  for (const member of members as string[]) clause === 'ADD' ? had.add(member) : had.delete(member);
  return had.size > 0 ? { [type]: [...had] } : undefined;
}

function add(left: Value, right: Value, sign: number): Value {
  if (left.N === undefined || right.N === undefined)
    throw validation('An operand in the update expression has an incorrect data type');
  return { N: String(Number(left.N) + sign * Number(right.N)) };
}

function noAttribute(): never {
  throw validation('The provided expression refers to an attribute that does not exist in the item');
}

function write(item: Item, [name = '', ...rest]: string[], value: Value | undefined): void {
  if (rest.length > 0) {
    const parent = item[name]?.M;
    if (!parent) throw validation('The document path provided in the update expression is invalid for update');
    write(parent, rest, value);
  } else if (value === undefined) delete item[name];
  else item[name] = value;
}
