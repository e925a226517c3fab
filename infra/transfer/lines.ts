import { peek } from './decompress.ts';
import { chooseEncoding, type Encoding, findInvalidByte } from './encoding.ts';

/**
 * `number`: from 1. `end`: its line break. `issue`: why it could not be read. `excerpt`: its start, possibly with wrong
 * characters.
 */
export type Line =
  | { number: number; text: string; end: string; issue?: undefined }
  | { number: number; text?: undefined; issue: string; excerpt: string };

type LineOptions = { maxBytes: number; encoding?: string | undefined };

/** Lines end with LF, CR, CR LF or CR CR LF. Yields an `issue` for an invalid or overlong line. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, encoding }: LineOptions,
): AsyncGenerator<Line> {
  const [start, all] = await peek(chunks, 2);
  const chosen = chooseEncoding(start, encoding);
  const emptyLines = new EmptyLineLimit();
  for await (const line of splitLines(all, new LineBuffer(maxBytes, chosen), chosen)) {
    emptyLines.add(line);
    yield line;
  }
}

const CR = '\r';
const LF = '\n';
const [CR_UNIT, LF_UNIT] = [0x0d, 0x0a];

/** CRs of a line break: some programs write CR CR LF. */
const MAX_CRS = 2;

async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  line: LineBuffer,
  { unit }: Encoding,
): AsyncGenerator<Line> {
  const swap = unit === 'utf-16be' ? 8 : 0;
  const [crUnit, lfUnit] = [CR_UNIT << swap, LF_UNIT << swap];
  /** CRs that form one line break with a following LF. */
  let crs = 0;
  for await (const chunk of unit === 'byte' ? chunks : joinUnits(chunks)) {
    const units = unit === 'byte' ? chunk : toUtf16Units(chunk);
    const unitBytes = units.BYTES_PER_ELEMENT;
    const find = (value: number, from: number) => {
      const at = units.indexOf(value, from);
      return at < 0 ? units.length : at;
    };
    let [cr, lf] = [-1, -1];
    for (let start = 0; start < units.length; ) {
      if (crs > 0) {
        const isLf = units[start] === lfUnit;
        const isCr = units[start] === crUnit;
        if (isLf) yield line.take(CR.repeat(crs) + LF);
        else if (isCr && crs < MAX_CRS) crs++;
        else if (isCr) yield line.take(CR);
        else for (; crs > 0; crs--) yield line.take(CR);
        if (isLf) crs = 0;
        if (isLf || isCr) start++;
        continue;
      }
      if (cr < start) cr = find(crUnit, start);
      if (lf < start) lf = find(lfUnit, start);
      const end = Math.min(cr, lf);
      if (end > start) line.add(chunk.subarray(start * unitBytes, end * unitBytes));
      if (end === lf && lf < units.length) yield line.take(LF);
      else if (end === cr && cr < units.length) crs = 1;
      start = end + 1;
    }
  }
  if (line.length > 0 || crs > 0) yield line.take(CR.repeat(Math.min(crs, 1)));
  for (; crs > 1; crs--) yield line.take(CR);
}

/** No chunk ends within a 2-byte code unit. Yields an odd byte at the end of the file separately. */
async function* joinUnits(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let odd = new Uint8Array();
  for await (const chunk of chunks) {
    const joined = new Uint8Array(odd.length + chunk.length);
    joined.set(odd);
    joined.set(chunk, odd.length);
    const even = joined.length - (joined.length % 2);
    odd = joined.slice(even);
    yield joined.subarray(0, even);
  }
  if (odd.length > 0) yield odd;
}

/** A Uint16Array has the byte order of the platform: little-endian on all of them. */
const toUtf16Units = (bytes: Uint8Array): Uint8Array | Uint16Array =>
  bytes.length % 2 === 0 ? new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2) : bytes;

const BYTE_ORDER_MARK = '\ufeff';
const EXCERPT_BYTES = 100;
const NO_BYTES = new Uint8Array();

class LineBuffer {
  readonly #maxBytes: number;
  readonly #encoding: Encoding;
  #number = 1;
  #offset = 0;
  #parts: Uint8Array[] = [];
  length = 0;

  constructor(maxBytes: number, encoding: Encoding) {
    this.#maxBytes = maxBytes;
    this.#encoding = encoding;
  }

  add(part: Uint8Array): void {
    this.length += part.length;
    if (this.length > this.#maxBytes) this.#parts = this.#parts.slice(0, 1);
    else this.#parts.push(part);
  }

  take(end: string): Line {
    const [number, offset, length] = [this.#number, this.#offset, this.length];
    const bytes = this.#parts.length > 0 ? concat(this.#parts) : NO_BYTES;
    this.#number++;
    this.#offset += length + end.length * (this.#encoding.unit === 'byte' ? 1 : 2);
    this.#parts = [];
    this.length = 0;
    if (length > this.#maxBytes)
      return fail(`The line has ${length} bytes, which is more than ${this.#maxBytes}`, number, bytes);
    try {
      const text = length > 0 ? this.#encoding.decode(bytes) : '';
      return { number, text: number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text, end };
    } catch {
      const at = offset + findInvalidByte(bytes, this.#encoding);
      return fail(
        `Line ${number} is not ${this.#encoding.name} at byte offset ${at}: choose the encoding`,
        number,
        bytes,
      );
    }
  }
}

const fail = (issue: string, number: number, bytes: Uint8Array): Line => ({
  number,
  issue,
  // Decodes any encoding as UTF-8, so an excerpt of UTF-16 contains zero bytes.
  excerpt: new TextDecoder().decode(bytes.subarray(0, EXCERPT_BYTES)).replaceAll('\0', ''),
});

function concat(parts: Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** More than the 1,048,576 rows of a worksheet, because some programs export all rows. */
const MAX_EMPTY_LINES = 1_100_000;

/** Throws for too many empty lines: a small gzip file can contain hundreds of millions. */
class EmptyLineLimit {
  #empty = 0;
  #others = 0;

  add({ text }: Line): void {
    // A line of only delimiters counts as empty, because spreadsheets write empty rows this way.
    if (text === undefined || /[^\s,;|"]/.test(text)) this.#others++;
    else if (++this.#empty > MAX_EMPTY_LINES && this.#empty > 2 * this.#others)
      throw new Error(`The file has more than ${MAX_EMPTY_LINES.toLocaleString('en')} empty lines. Remove them`);
  }
}
