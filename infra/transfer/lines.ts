/** A line without its end, by its number from 1. `fault` tells why it has no text. */
export type Line =
  | { number: number; text: string; fault?: undefined }
  | { number: number; text?: undefined; fault: string };

const NEWLINE = 0x0a;

/** Splits bytes of UTF-8 into lines. Of a line that is longer than `maxBytes`, nothing is kept. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  const line = new LineBuffer(maxBytes);
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      line.add(chunk.subarray(start, end));
      yield line.take();
      start = end + 1;
    }
    line.add(chunk.subarray(start));
  }
  if (line.length > 0) yield line.take();
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

class LineBuffer {
  readonly #maxBytes: number;
  #number = 1;
  #parts: Uint8Array[] = [];
  length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(part: Uint8Array): void {
    this.length += part.length;
    if (this.length > this.#maxBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  take(): Line {
    const [number, length, bytes] = [this.#number++, this.length, concat(this.#parts, this.length)];
    this.#parts = [];
    this.length = 0;
    if (length > this.#maxBytes)
      return { number, fault: `The line has ${length} bytes, which is more than ${this.#maxBytes}` };
    try {
      const text = decoder.decode(bytes);
      return { number, text: text.slice(number === 1 && text.startsWith('\ufeff') ? 1 : 0).replace(/\r$/, '') };
    } catch {
      return { number, fault: `The line is not UTF-8${findInvalidByte(bytes)}: choose another encoding` };
    }
  }
}

function concat(parts: Uint8Array[], length: number): Uint8Array {
  const [first] = parts;
  // Most lines are in one chunk, and none is kept of a line that is too long.
  if (!first || parts.length === 1) return first ?? new Uint8Array();
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const replacingDecoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decoding replaces what is invalid, so the bytes before it stay equal. */
function findInvalidByte(bytes: Uint8Array): string {
  const decoded = new TextEncoder().encode(replacingDecoder.decode(bytes));
  const at = bytes.findIndex((byte, index) => byte !== decoded[index]);
  return at < 0 ? '' : ` from byte ${at + 1} on`;
}
