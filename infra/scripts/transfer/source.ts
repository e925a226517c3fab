import { createReadStream, statSync } from 'node:fs';
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { decompress as decompressWith } from '../../transfer/decompress.ts';

/** `findPart`: share of the file up to a line, from 0 to 1. Undefined for a pipe. */
export type Source = { chunks: AsyncIterable<Uint8Array>; findPart(line: number): number | undefined };

type SourceOptions = { signal?: AbortSignal };

/**
 * Decompresses a file, or standard input for `-`. Reading throws once the signal is aborted, even while standard input
 * is idle.
 */
export function openSource(file: string, options: SourceOptions = {}): Source {
  const stream = file === '-' ? process.stdin : createReadStream(file);
  const found = file === '-' ? undefined : statSync(file);
  let [bytes, lines] = [0, 0];
  let gunzip: Gunzip | undefined;
  stream.on('data', (chunk: Buffer) => (bytes += chunk.length)).pause();
  if (options.signal) addAbortSignal(options.signal, stream);

  async function* countLines() {
    for await (const chunk of decompress(stream, options, (created) => (gunzip = created))) {
      lines += countLineBreaks(chunk);
      yield chunk;
    }
  }

  return {
    chunks: countLines(),
    // The stream reads ahead of the import: a small file would be complete at once.
    findPart: (line) =>
      found?.isFile()
        ? Math.min(1, ((gunzip?.bytesWritten ?? bytes) / found.size) * (lines === 0 ? 1 : line / lines))
        : undefined,
  };
}

const LF = 0x0a;

function countLineBreaks(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) count++;
  return count;
}

export async function* decompress(
  stream: AsyncIterable<Uint8Array>,
  options?: SourceOptions,
  onGunzip: (gunzip: Gunzip) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const gunzip = (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> => {
    const created = createGunzip();
    onGunzip(created);
    return pipeline(Readable.from(chunks), created, () => {});
  };
  try {
    yield* decompressWith(stream, gunzip, options);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw /^Z_/.test(code) ? new Error(`The gzip data is damaged: ${message}`) : error;
  }
}
