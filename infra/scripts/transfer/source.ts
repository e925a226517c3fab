import { createReadStream, statSync } from 'node:fs';
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { decompress as decompressWith } from '../../transfer/decompress.ts';

/** A file that is read, or standard input. `readBytes` tells how many bytes of it were read, of `size` if that is known. */
export type Source = { chunks: AsyncIterable<Uint8Array>; size: number | undefined; readBytes(): number };

type SourceOptions = { signal?: AbortSignal };

/**
 * Reads a file, or standard input for `-`, and decompresses it. Reading throws once the signal is aborted, also while standard input
 * brings nothing.
 */
export function openSource(file: string, options: SourceOptions = {}): Source {
  const stream = file === '-' ? process.stdin : createReadStream(file);
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => (bytes += chunk.length)).pause();
  if (options.signal) addAbortSignal(options.signal, stream);
  const chunks = decompress(stream, options);
  return { chunks, size: file === '-' ? undefined : statSync(file).size, readBytes: () => bytes };
}

/** The bytes of a stream without gzip. Throws an error of one sentence for what is damaged. */
export async function* decompress(
  stream: AsyncIterable<Uint8Array>,
  options?: SourceOptions,
): AsyncGenerator<Uint8Array> {
  try {
    yield* decompressWith(stream, gunzip, options);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw /^Z_/.test(code) ? new Error(`The gzip data is damaged: ${message}`) : error;
  }
}

/** The iteration of the second stream throws the error of either. */
const gunzip = (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(chunks), createGunzip(), () => {});
