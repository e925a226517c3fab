import { decompress } from '../../../transfer/decompress.ts';
import type { TextOptions } from '../../../transfer/rows.ts';
import { readSample, type Sample } from '../../../transfer/sample.ts';

/** Bytes between pauses. Checking them takes a few milliseconds. */
const PART_BYTES = 16 * 1024;

/** More than a person sees: dates and NDJSON members may be missing in the first rows. */
const SAMPLE_ROWS = 1000;

/** The file is read in parts, so it may have any size. */
export type ImportFile = { file: File; text: TextOptions };

export const readColumns = (source: ImportFile): Promise<Sample> =>
  readSample(readBytes(source), SAMPLE_ROWS, source.text);

/** Yields uncompressed bytes. `onRead` receives the share read, from 0 to 1. */
export function readBytes(
  { file }: ImportFile,
  onRead: (part: number) => void = () => {},
  signal?: AbortSignal,
): AsyncIterable<Uint8Array> {
  async function* readParts() {
    for (let at = 0; at < file.size; at += PART_BYTES) {
      yield new Uint8Array(await file.slice(at, at + PART_BYTES).arrayBuffer());
      onRead(Math.min(1, (at + PART_BYTES) / file.size));
    }
  }
  return decompress(readParts(), gunzip, { signal });
}

async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const compressed = new ReadableStream<BufferSource>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
  });
  try {
    for await (const chunk of readStream(compressed.pipeThrough(new DecompressionStream('gzip')))) yield* split(chunk);
  } catch (error) {
    throw new Error(`The gzip data is damaged: ${(error as Error).message}`);
  }
}

/** Uses a reader, because not all browsers can iterate over streams. */
export async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Splits a decompressed chunk, which may be large. Pauses after each part, so that the page stays responsive. */
async function* split(chunk: Uint8Array) {
  for (let at = 0; at < chunk.length; at += PART_BYTES) {
    yield chunk.subarray(at, at + PART_BYTES);
    await new Promise((resolve) => setTimeout(resolve));
  }
}
