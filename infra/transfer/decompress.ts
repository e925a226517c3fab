type Chunks = AsyncIterable<Uint8Array>;

/** Returns other files than gzip unchanged. Throws for workbooks and zip archives, and if the signal is aborted. */
export async function* decompress(
  file: Chunks,
  gunzip: (chunks: Chunks) => Chunks,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Chunks {
  // Checks the signal per chunk, because a file may consist of one huge line or of blank lines.
  for await (const chunk of decompressAll(file, gunzip)) {
    signal?.throwIfAborted();
    yield chunk;
  }
}

async function* decompressAll(file: Chunks, gunzip: (chunks: Chunks) => Chunks): Chunks {
  const [start, chunks] = await peek(file, SIGNATURE_BYTES);
  if (!startsWith(start, GZIP)) return yield* rejectWorkbooks(chunks);
  yield* rejectWorkbooks(gunzip(chunks));
}

const SIGNATURE_BYTES = 4;
const GZIP = [0x1f, 0x8b];
const ZIP = [0x50, 0x4b, 0x03, 0x04];
/** Compound File Binary, the format of .xls files. */
const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0];

/** Bytes with the name of the first file in a zip archive, which identifies workbooks. */
const ZIP_START_BYTES = 512;

const SAVE_AS_CSV = 'Save the sheet as “CSV UTF-8 (Comma delimited)” in the spreadsheet program, and import that file';

async function* rejectWorkbooks(file: Chunks): Chunks {
  const [start, chunks] = await peek(file, SIGNATURE_BYTES);
  if (startsWith(start, COMPOUND_FILE)) throw new Error(`The file is an Excel workbook (.xls). ${SAVE_AS_CSV}`);
  if (!startsWith(start, ZIP)) return yield* chunks;
  const [bytes] = await peek(chunks, ZIP_START_BYTES);
  const names = new TextDecoder('windows-1252').decode(bytes.subarray(0, ZIP_START_BYTES));
  if (/\[Content_Types\]|_rels\/|docProps\/|xl\//.test(names))
    throw new Error(`The file is an Excel workbook (.xlsx). ${SAVE_AS_CSV}`);
  if (names.includes('opendocument')) throw new Error(`The file is an OpenDocument spreadsheet. ${SAVE_AS_CSV}`);
  throw new Error('The file is a zip archive. Extract the CSV or NDJSON file, and import that');
}

const startsWith = (bytes: Uint8Array, signature: number[]): boolean =>
  signature.every((byte, at) => bytes[at] === byte);

/** Returns at least `count` bytes, unless the file is shorter, and an iterable of all chunks. */
export async function peek(chunks: Chunks, count: number): Promise<[first: Uint8Array, chunks: Chunks]> {
  const iterator = chunks[Symbol.asyncIterator]();
  let first = new Uint8Array();
  while (first.length < count) {
    const { done, value } = await iterator.next();
    if (done) break;
    const joined = new Uint8Array(first.length + value.length);
    joined.set(first);
    joined.set(value, first.length);
    first = joined;
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
