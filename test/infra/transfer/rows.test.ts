import Papa from 'papaparse';
import { expect, test, vi } from 'vitest';
import { type RowOptions, readRows } from '../../../infra/transfer/rows.ts';

async function readText(text: string, options: RowOptions) {
  async function* chunks() {
    yield Buffer.from(text);
  }
  return Array.fromAsync(readRows(chunks(), options));
}

test('an internal error is no fault of the line', async () => {
  const map = new Map<string, string>();
  map.get = () => {
    throw new TypeError('A fault of the program');
  };
  const rows = readText('{"name":"Ada","email":"ada@example.org"}\n', { map });
  await expect(rows).rejects.toThrow('A fault of the program');
});

test('a quoted cell with quotes on each of very many lines is parsed once', async () => {
  const text = `name,email,notes\n${`Ada,ada@example.org,"${'""x"",y\n'.repeat(1_000)}"\n`.repeat(2)}`;
  const { Parser } = Papa;
  let parsed = 0;
  vi.spyOn(Papa, 'Parser').mockImplementation(function create(config) {
    const parser = new Parser(config);
    return Object.assign(parser, { parse: countLength(parser.parse) });
  });
  const countLength =
    (parse: typeof Parser.prototype.parse): typeof parse =>
    (input, ...others) => {
      parsed += input.length;
      return parse(input, ...others);
    };
  const rows = await readText(text, { ignore: new Set(['notes']) });
  expect(rows).toMatchObject([2, 1_003].map((line) => ({ line, user: { name: 'Ada' } })));
  expect(parsed).toBeLessThan(2 * text.length);
});
