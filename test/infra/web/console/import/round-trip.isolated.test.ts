import '../browser-globals.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';

const FIELDS_FILE = join(process.cwd(), 'test/setup/own-fields.json');
// lib/ reads the fields on import.
process.env.FIELDS_FILE = FIELDS_FILE;
const { ownFields } = await import('../../../../../infra/web/console/own-fields.ts');
const declarations: Record<string, object> = JSON.parse(readFileSync(FIELDS_FILE, 'utf8'));
ownFields.set(() => Object.keys(declarations).map((name) => ({ name, type: 'string' })));
const { UserFile } = await import('../../../../../infra/web/console/export/user-file.ts');
const { readColumns } = await import('../../../../../infra/web/console/import/import-file.ts');
const { guessMapping, toRowOptions } = await import('../../../../../infra/web/console/import/mapping.ts');
const { readRows } = await import('../../../../../infra/transfer/rows.ts');
const { writeRows } = await import('../../../../../infra/scripts/transfer/write-rows.ts');
const { createUserInput } = await import('../../../../../lib/users/input.ts');

const folder = mkdtempSync(join(tmpdir(), 'export-'));
afterAll(() => rmSync(folder, { recursive: true }));

type ExportedUser = Parameters<typeof writeRows>[1] extends AsyncIterable<infer User> ? User : never;

const writers = {
  async console(users: readonly ExportedUser[]): Promise<File> {
    const file = new UserFile('csv');
    file.append(users);
    return new File(file.listParts(), 'users.csv');
  },
  async command(users: readonly ExportedUser[]): Promise<File> {
    const file = join(folder, 'users.csv');
    await writeRows(file, toAsync(users), Object.keys(declarations));
    return new File([readFileSync(file)], 'users.csv');
  },
};

async function* toAsync<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const readers = {
  async console(file: File) {
    const sample = await readColumns({ file, text: {} });
    return collect(readRows(file.stream(), toRowOptions(sample, guessMapping(sample))));
  },
  command: (file: File) => collect(readRows(file.stream())),
};

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...`'"=+-@;,|\t [{xß＝`), maxLength: 9 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('+49 170 1234567', "'+49", '=1+1', '-', '@x', "'", "''=", 'sep=;', 'true', '\ufeffx', '1e3', '["a"]'),
);
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const person = fc.record({
  name: text,
  email: fc
    .string({ unit: fc.constantFrom(...`'=+-x`), minLength: 1, maxLength: 6 })
    .map((local) => `${local}@example.org`),
  nickname: optional(text),
  phone: optional(text),
  // Adding 0 makes -0 a 0, as JSON does.
  score: optional(fc.double({ max: 100, noNaN: true, noDefaultInfinity: true }).map((score) => score + 0)),
  isStaff: optional(fc.boolean()),
  tags: optional(fc.array(text, { minLength: 1, maxLength: 5 })),
});

/** Fixed seed: reproducible failures. */
const people = fc.sample(person, { numRuns: 3_000, seed: 1815 }).flatMap((input) => {
  const { data } = createUserInput.safeParse(
    Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)),
  );
  return data ? [data] : [];
});
const time = '2026-01-31T12:00:00.000Z';
const id = '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23';
const users = people.map((user) => ({ id, ...user, createdAt: time, updatedAt: time, version: 1 }));

test.each([
  ['console', 'console'],
  ['console', 'command'],
  ['command', 'console'],
  ['command', 'command'],
] as const)('the CSV file that the %s exports is restored by the %s', async (writer, reader) => {
  expect(people.length).toBeGreaterThan(500);
  const rows = await readers[reader](await writers[writer](users));
  expect(rows.map((row) => row.issues ?? row.user)).toEqual(people);
});
