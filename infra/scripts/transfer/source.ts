import { createReadStream, statSync } from 'node:fs';
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { decompress as decompressWith } from '../../transfer/decompress.ts';

/** `size`: undefined for standard input. */
export type Source = { chunks: AsyncIterable<Uint8Array>; size: number | undefined; readBytes(): number };

type SourceOptions = { signal?: AbortSignal };

/**
 * Decompresses a file, or standard input for `-`. Reading throws once the signal is aborted, even while standard input
 * is idle.
 */
export function openSource(file: string, options: SourceOptions = {}): Source {
  const stream = file === '-' ? process.stdin : createReadStream(file);
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => (bytes += chunk.length)).pause();
  if (options.signal) addAbortSignal(options.signal, stream);
  const chunks = decompress(stream, options);
  return { chunks, size: file === '-' ? undefined : statSync(file).size, readBytes: () => bytes };
}

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

const gunzip = (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(chunks), createGunzip(), () => {});
