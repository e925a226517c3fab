import { createReadStream, statSync } from 'node:fs';
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type DecodeOptions, decode as decodeWith } from '../../transfer/decode.ts';

/** A file that is read, or standard input. `readBytes` tells how many bytes of it were read, of `size` if that is known. */
export type Source = { chunks: AsyncIterable<Uint8Array>; size: number | undefined; readBytes(): number };

/**
 * Reads a file, or standard input for `-`, as UTF-8: gzip and UTF-16 are recognized by the first bytes. Reading throws once the signal is
 * aborted, also while standard input brings nothing.
 */
export function openSource(file: string, options: DecodeOptions = {}): Source {
  const stream = file === '-' ? process.stdin : createReadStream(file);
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => (bytes += chunk.length)).pause();
  if (options.signal) addAbortSignal(options.signal, stream);
  const chunks = decode(stream, options);
  return { chunks, size: file === '-' ? undefined : statSync(file).size, readBytes: () => bytes };
}

/** The bytes of a stream as UTF-8 without gzip. Throws an error of one sentence for what is damaged. */
export async function* decode(stream: AsyncIterable<Uint8Array>, options?: DecodeOptions): AsyncGenerator<Uint8Array> {
  try {
    yield* decodeWith(stream, gunzip, options);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw /^Z_/.test(code) ? new Error(`The gzip data is damaged: ${message}`) : error;
  }
}

/** The iteration of the second stream throws the error of either. */
const gunzip = (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(chunks), createGunzip(), () => {});
