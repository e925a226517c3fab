import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readBytes, readColumns, readStream } from '../../../../../infra/web/console/import/import-file.ts';

const TEXT = `name,email\n${'Ada Lovelace,ada@example.org\n'.repeat(3_000)}`;
const plain = { file: new File([TEXT], 'users.csv'), text: {} };
const zip = (bytes: Uint8Array<ArrayBuffer>) => ({ file: new File([bytes], 'users.csv.gz'), text: {} });
const gzipped = zip(new Uint8Array(gzipSync(TEXT)));

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}
const join = (chunks: Uint8Array[]) => Buffer.concat(chunks).toString();

test.each([
  ['a text', plain],
  ['a gzip', gzipped],
])('%s file is read in small parts', async (_, source) => {
  const chunks = await collect(readBytes(source));
  expect(join(chunks)).toBe(TEXT);
  expect(Math.max(...chunks.map(({ length }) => length))).toBe(16 * 1024);
});

test('the share that was read grows to 1', async () => {
  const shares: number[] = [];
  await collect(readBytes(plain, (share) => shares.push(share)));
  expect(shares[0]).toBeCloseTo((16 * 1024) / plain.file.size, 10);
  expect(shares.at(-1)).toBe(1);
  expect(shares).toEqual(shares.toSorted((one, other) => one - other));
});

test('an aborted reading stops', async () => {
  const stop = new AbortController();
  const onRead = () => stop.abort(new Error('Stopped'));
  await expect(collect(readBytes(plain, onRead, stop.signal))).rejects.toThrow('Stopped');
});

test('a damaged gzip file is reported', async () => {
  const bytes = new Uint8Array(gzipSync(TEXT)).slice(0, 60);
  await expect(collect(readBytes(zip(bytes)))).rejects.toThrow('The gzip data is damaged: ');
});

test('a sample has the columns and the first rows', async () => {
  const { columns, rows } = await readColumns(gzipped);
  expect(columns).toEqual(['name', 'email']);
  expect(rows).toHaveLength(1000);
  expect(rows[999]).toEqual({ line: 1001, cells: ['Ada Lovelace', 'ada@example.org'] });
});

test('a stream is cancelled when its reader stops early', async () => {
  const events: string[] = [];
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array([1])),
    cancel: () => void events.push('cancelled'),
  });
  for await (const chunk of readStream(stream)) {
    events.push(`read ${chunk.length}`);
    break;
  }
  expect(events).toEqual(['read 1', 'cancelled']);
});
