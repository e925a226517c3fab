import { validation } from './errors.ts';
import type { Item, Value } from './values.ts';

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
