import { expect, test } from 'vitest';
import { readRows } from '../../../infra/transfer/rows.ts';

test('an internal error is no fault of the line', async () => {
  const map = new Map<string, string>();
  map.get = () => {
    throw new TypeError('A fault of the program');
  };
  async function* chunks() {
    yield Buffer.from('{"name":"Ada","email":"ada@example.org"}\n');
  }
  await expect(Array.fromAsync(readRows(chunks(), { map }))).rejects.toThrow('A fault of the program');
});
