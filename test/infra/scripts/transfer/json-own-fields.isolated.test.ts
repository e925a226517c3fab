import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Service, startServiceHere } from '../../../setup/service.ts';

// lib/ reads the fields on import.
vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/json-own-fields.json';
});
const { INEXACT_NUMBER } = await import('../../../../lib/input/exact-json.ts');
const { readRows } = await import('../../../../infra/transfer/rows.ts');
const { readOwnFields } = await import('../../../../infra/scripts/transfer/deployment.ts');
const { valueSchema } = await import('../../../../lib/users/fields/value-schema.ts');
const { main } = await import('../../../../lib/client/types-command.ts');

let service: Service;
beforeAll(async () => {
  service = await startServiceHere();
});
afterAll(() => service.stop());

async function* encode(text: string) {
  yield new TextEncoder().encode(text);
}

const readCells = async (...cells: string[]) => {
  const lines = cells.map((cell, at) => `Ada,ada.${at}@example.org,"${cell.replaceAll('"', '""')}"`);
  return Array.fromAsync(readRows(encode(['name,email,settings', ...lines].join('\n'))));
};

test('a cell of a CSV file is JSON text, which may have line breaks', async () => {
  const rows = await readCells('{"a":\n[1]}', '"text"', '""', '1e21', ' ', 'null', ' [] ');
  const settings = rows.map((row) => (row.issues ? row.issues : new Map(Object.entries(row.user)).get('settings')));
  expect(settings).toEqual([{ a: [1] }, 'text', '', 1e21, undefined, undefined, []]);
});

test('invalid JSON is an issue of its column', async () => {
  const [syntax, key, size] = await readCells('{"a":1,}', '{"a":{"__proto__":1}}', JSON.stringify('x'.repeat(1999)));
  expect(syntax).toMatchObject({
    line: 2,
    issues: [{ column: 'settings', message: expect.stringMatching(/^is not JSON: .* position 7/) }],
  });
  expect(key?.issues).toEqual([{ column: 'settings.a.__proto__', message: 'is a key that is not allowed' }]);
  expect(size?.issues).toEqual([{ column: 'settings', message: 'takes 2001 bytes as JSON, which is more than 2000' }]);
});

test('JSON that JSON.parse would change is an issue of its column', async () => {
  const [number, twice] = await readCells('{"id":[750727362669608961]}', '{"a":1,"a":1}');
  expect(number?.issues).toEqual([{ column: 'settings.id.0', message: INEXACT_NUMBER }]);
  expect(twice?.issues).toEqual([{ column: 'settings.a', message: 'must be given only once' }]);
});

test('an import through the API detects JSON and multiline fields from the OpenAPI document or GraphQL', async () => {
  const described = await readOwnFields({ url: service.url, sigv4: false });
  expect(described).toMatchObject({
    fields: { settings: { type: 'json', maxBytes: 2000 }, notes: { type: 'string', maxLength: 500, multiline: true } },
    unchecked: [],
  });
  const graphqlUrl = `${service.url}/graphql`;
  const { fields } = await readOwnFields({ url: `${service.url}/elsewhere`, graphqlUrl, sigv4: false });
  expect(fields).toMatchObject({ settings: { type: 'json' }, more: { type: 'string' } });
  // The text stays unchanged, because the service normalizes it.
  const { notes } = fields;
  expect(notes && valueSchema(notes).safeParse(' a\nb').data).toBe(' a\nb');
});

test.each(['openapi.json', 'graphql'])('%s exposes JSON values without a type', async (path) => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await main([`${service.url}/${path}`]);
  const types = write.mock.calls.join('');
  write.mockRestore();
  expect(types).toContain('settings?: unknown;');
  expect(types).toContain('notes?: string;');
});
