type Chunks = AsyncIterable<Uint8Array>;

export type DecodeOptions = { encoding?: string | undefined; signal?: AbortSignal | undefined };

/** The bytes of a file as UTF-8 without gzip. UTF-16 and gzip are recognized by the first bytes. Throws once the signal is aborted. */
export async function* decode(
  file: Chunks,
  gunzip: (chunks: Chunks) => Chunks,
  { encoding, signal }: DecodeOptions = {},
): Chunks {
  // A line, or blank ones, can take up all of a file.
  for await (const chunk of decodeAll(file, gunzip, encoding)) {
    signal?.throwIfAborted();
    yield chunk;
  }
}

async function* decodeAll(file: Chunks, gunzip: (chunks: Chunks) => Chunks, encoding: string | undefined): Chunks {
  const [first, chunks] = await peek(file);
  if (!(first[0] === 0x1f && first[1] === 0x8b)) return yield* transcode(first, chunks, encoding);
  const [text, rest] = await peek(gunzip(chunks));
  yield* transcode(text, rest, encoding);
}

async function* transcode(first: Uint8Array, chunks: Chunks, encoding = findEncoding(first)) {
  if (/^utf-?8$/i.test(encoding)) return yield* chunks;
  const [decoder, encoder] = [new TextDecoder(encoding), new TextEncoder()];
  for await (const chunk of chunks) yield encoder.encode(decoder.decode(chunk, { stream: true }));
  yield encoder.encode(decoder.decode());
}

/** https://encoding.spec.whatwg.org/#bom-sniff */
function findEncoding([one, two]: Uint8Array): string {
  if (one === 0xff && two === 0xfe) return 'utf-16le';
  return one === 0xfe && two === 0xff ? 'utf-16be' : 'utf-8';
}

/** The first two bytes at least, if there are as many, and all chunks. */
async function peek(chunks: Chunks): Promise<[first: Uint8Array, chunks: Chunks]> {
  const iterator = chunks[Symbol.asyncIterator]();
  let first = new Uint8Array();
  while (first.length < 2) {
    const { done, value } = await iterator.next();
    if (done) break;
    first = new Uint8Array([...first, ...value]);
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
