import { peek } from './decompress.ts';
import { chooseEncoding } from './encoding.ts';
import type { Line } from './lines.ts';

/** Names of a member that contains all users, as in the exports of Firebase, Cognito and Keycloak. */
const LISTS = new Set(['users', 'members', 'contacts', 'accounts', 'data', 'items', 'results']);

const START_BYTES = 4096;
/** Length of a byte order mark of UTF-8. */
const MARK_BYTES = 3;

/** True for a JSON array, an indented object, and an object that opens a list of users in its first line. False for NDJSON. */
export async function hasJsonElements(
  chunks: AsyncIterable<Uint8Array>,
  encoding?: string,
): Promise<[boolean, chunks: AsyncIterable<Uint8Array>]> {
  const decode = (bytes: Uint8Array) =>
    new TextDecoder(chooseEncoding(bytes, encoding).name).decode(bytes.subarray(0, START_BYTES)).trimStart();
  const [firstBytes, unread] = await peek(chunks, MARK_BYTES + 1);
  // Reads no further bytes of CSV files, because an unreadable part must not hide the rows before it.
  if (/^[^[{]/.test(decode(firstBytes))) return [false, unread];
  const [bytes, all] = await peek(unread, START_BYTES);
  const start = decode(bytes);
  return [start.startsWith('[') || /^\{[^\S\r\n]*[\r\n]/.test(start) || opensList(start), all];
}

function opensList(start: string): boolean {
  const [line = ''] = start.split(/[\r\n]/, 1);
  if (!line.startsWith('{')) return false;
  const elements = new JsonElements(START_BYTES);
  const list = [...line].findIndex((character) => [...elements.add(character)].length === 0 && elements.isInList);
  return list >= 0 && /^\s*([{\]]|$)/.test([...line].slice(list + 1).join(''));
}

/**
 * Yields each element of the list as a line. Yields also top-level objects, which may be indented. Throws if the file
 * ends within the list. The text of an element stays as it is, so that inexact numbers are found.
 */
export async function* readJsonElements(
  chunks: AsyncIterable<Uint8Array>,
  { maxLength, encoding }: { maxLength: number; encoding?: string | undefined },
): AsyncGenerator<Line> {
  const [start, all] = await peek(chunks, 2);
  const { name } = chooseEncoding(start, encoding);
  const decoder = new TextDecoder(name, { fatal: true });
  const elements = new JsonElements(maxLength);
  const decode = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new Error(`The file is not ${name}: choose the encoding`);
    }
  };
  for await (const chunk of all) yield* elements.add(decode(chunk));
  yield* elements.add(decode());
  yield* elements.end();
}

class JsonElements {
  readonly #maxLength: number;
  #depth = 0;
  /** Depth of the elements: 0 for top-level objects, 1 in an array, 2 in the list of an object. */
  #elementDepth = 0;
  #inString = false;
  #isEscaped = false;
  #string = '';
  #member = '';
  #hasAddress = false;
  #element: { line: number; text: string; length: number } | undefined;
  #line = 1;
  #lastLine = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get isInList(): boolean {
    return this.#elementDepth > 0;
  }

  *add(text: string): Generator<Line> {
    let from = 0;
    const take = (end: number) => {
      if (this.#element) this.#extend(this.#element, text.slice(from, end));
    };
    for (let at = 0; at < text.length; at++) {
      const character = text.charAt(at);
      if (character === '\n') this.#line++;
      if (this.#inString) {
        this.#addToString(character);
        continue;
      }
      const isOutside = this.#depth === this.#elementDepth;
      if (isOutside && !this.#element && !/[\s,\]}]/.test(character)) {
        if (this.#depth === 0 && character === '[') {
          this.#openList();
          continue;
        }
        this.#element = { line: this.#line, text: '', length: 0 };
        [from, this.#hasAddress] = [at, false];
      }
      if (character === '"') [this.#inString, this.#string] = [true, ''];
      else if (character === ':') this.#nameMember();
      else if (character === '[' && this.#isList()) {
        this.#element = undefined;
        this.#openList();
      } else if (character === '{' || character === '[') this.#depth++;
      else if (character === '}' || character === ']') {
        if (isOutside && this.#element) {
          take(at);
          yield this.#takeElement();
        }
        this.#depth = Math.max(0, this.#depth - 1);
        if (this.#depth < this.#elementDepth) this.#elementDepth = 0;
        if (this.#element && this.#depth === this.#elementDepth) {
          take(at + 1);
          yield this.#takeElement();
        }
      } else if (character === ',' && isOutside && this.#element) {
        take(at);
        yield this.#takeElement();
      }
    }
    take(text.length);
  }

  *end(): Generator<Line> {
    if (this.#element) yield this.#takeElement();
    if (this.#depth > 0) throw new Error('The file ends within its JSON, so it may be incomplete');
  }

  #addToString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#inString = false;
    else if (this.#string.length < MAX_NAME_LENGTH) this.#string += character;
  }

  #nameMember(): void {
    if (this.#elementDepth > 0 || this.#depth !== 1) return;
    this.#member = this.#string.toLowerCase();
    this.#hasAddress ||= this.#member === 'email';
  }

  /** An object with an address is a user, even if it contains lists. */
  #isList(): boolean {
    const isMember = this.#element !== undefined && this.#elementDepth === 0 && this.#depth === 1;
    return isMember && LISTS.has(this.#member) && !this.#hasAddress;
  }

  #openList(): void {
    this.#depth++;
    this.#elementDepth = this.#depth;
    this.#member = '';
  }

  #extend(element: { text: string; length: number }, text: string): void {
    element.length += text.length;
    if (element.length <= this.#maxLength) element.text += text;
    else element.text = element.text.slice(0, MAX_NAME_LENGTH);
  }

  #takeElement(): Line {
    const { line, text, length } = this.#element as { line: number; text: string; length: number }; // Callers check.
    this.#element = undefined;
    // Results name rows by line, so two elements of one line need different numbers.
    const number = Math.max(line, this.#lastLine + 1);
    this.#lastLine = number;
    if (length <= this.#maxLength) return { number, text, end: '\n' };
    return { number, issue: `It has ${length} characters, which is more than ${this.#maxLength}`, excerpt: text };
  }
}

const MAX_NAME_LENGTH = 40;
