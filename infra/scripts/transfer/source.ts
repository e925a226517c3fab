import { createReadStream, statSync } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A file that is read, or standard input. `readBytes` tells how many bytes of it were read, of `size` if that is known. */
export type Source = { chunks: AsyncIterable<Buffer>; size: number | undefined; readBytes(): number };

/** Reads a file, or standard input for `-`, as UTF-8: gzip and UTF-16 are recognized by the first bytes. */
export function openSource(file: string, encoding: string | undefined): Source {
  const stream = file === '-' ? process.stdin : createReadStream(file);
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => (bytes += chunk.length)).pause();
  const chunks = decode(stream, encoding);
  return { chunks, size: file === '-' ? undefined : statSync(file).size, readBytes: () => bytes };
}

/** The bytes of a stream as UTF-8 without gzip. Throws an error of one sentence for what is damaged. */
export async function* decode(stream: AsyncIterable<Buffer>, encoding?: string): AsyncGenerator<Buffer> {
  const [first, chunks] = await peek(stream);
  if (!(first[0] === 0x1f && first[1] === 0x8b)) return yield* transcode(first, chunks, encoding);
  // The iteration of the second stream throws the error of either.
  const gunzip = pipeline(Readable.from(chunks), createGunzip(), () => {});
  try {
    const [text, rest] = await peek(gunzip);
    yield* transcode(text, rest, encoding);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw /^Z_/.test(code) ? new Error(`The gzip data is damaged: ${message}`) : error;
  }
}

async function* transcode(first: Buffer, chunks: AsyncIterable<Buffer>, encoding = findEncoding(first)) {
  if (/^utf-?8$/i.test(encoding)) return yield* chunks;
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** https://encoding.spec.whatwg.org/#bom-sniff */
function findEncoding([one, two]: Buffer): string {
  if (one === 0xff && two === 0xfe) return 'utf-16le';
  return one === 0xfe && two === 0xff ? 'utf-16be' : 'utf-8';
}

/** The first two bytes at least, if there are as many, and all chunks. */
async function peek(stream: AsyncIterable<Buffer>): Promise<[first: Buffer, chunks: AsyncIterable<Buffer>]> {
  const iterator = stream[Symbol.asyncIterator]();
  let first: Buffer = Buffer.alloc(0);
  while (first.length < 2) {
    const { done, value } = await iterator.next();
    if (done) break;
    first = Buffer.concat([first, value]);
  }
  async function* all() {
    try {
      yield first;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await iterator.return?.();
    }
  }
  return [first, all()];
}
