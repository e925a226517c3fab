import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { environment } from '../../../../lib/environment.ts';
import declared from '../../../setup/own-fields.json' with { type: 'json' };
import { countRuns } from '../../../setup/seed.ts';

// lib/ reads the fields on import.
environment.readOwnFields = () => ({
  ...declared,
  notes: { type: 'string', multiline: true },
  settings: { type: 'json', maxBytes: 2000 },
});
const { importRows } = await import('../../../../infra/transfer/import-rows.ts');
const { Pace } = await import('../../../../infra/transfer/pace.ts');
const { Results } = await import('../../../../infra/scripts/transfer/results.ts');
const { readRows } = await import('../../../../infra/transfer/rows.ts');
const { openSource } = await import('../../../../infra/scripts/transfer/source.ts');
const { openTableTarget } = await import('../../../../infra/scripts/transfer/table-target.ts');
const { tableSource } = await import('../../../../infra/scripts/transfer/table-source.ts');
const { writeRows } = await import('../../../../infra/scripts/transfer/write-rows.ts');
const { checkTable } = await import('../../../../infra/scripts/table-consistency.ts');
const { createUser } = await import('../../../setup/create-user.ts');
const { createUserInput } = await import('../../../../lib/users/input.ts');
const { readChangedUsers } = await import('../../../../infra/transfer/changes.ts');
const { userKey } = await import('../../../../lib/dynamodb/keys.ts');
const { findStoredUser } = await import('../../../../lib/users/read.ts');
const { logWrite } = await import('../../../lib/on-change/log-write.ts');
const { updateUser } = await import('../../../../lib/users/write.ts');
const { clearTable } = await import('../../../lib/features/page-index/fixtures.ts');

const folder = mkdtempSync(join(tmpdir(), 'import-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Texts that need quotes, or look like another type. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom('"', ',', ';', '|', '[', ']', '{', '=', '#', "'", '\\', ' ', 'x', 'ß'),
    maxLength: 9,
  }),
  fc.constantFrom('true', '1', '1e3', 'null', '["a"]', '-', '=1+1', 'NaN', '\ufeffx'),
);
const lines = fc
  .array(text, { maxLength: 4 })
  .chain((all) => fc.constantFrom('\n', '\r\n').map((end) => all.join(end)));
const json = fc.oneof(
  fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' }),
  text,
  fc.dictionary(text, text, { maxKeys: 3 }),
);
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const person = fc.record({
  name: text,
  nickname: optional(text),
  plan: optional(fc.constantFrom('free', 'pro', 'team')),
  age: optional(fc.integer({ min: 0, max: 150 })),
  score: optional(
    fc
      .double({ max: 100, noNaN: true, noDefaultInfinity: true })
      .filter((score) => score === 0 || Math.abs(score) >= 1e-130),
  ),
  isStaff: optional(fc.boolean()),
  birthday: optional(fc.constantFrom('1815-12-10', '2000-02-29')),
  lastSeenAt: optional(fc.constantFrom('2026-01-31T12:00:00+02:00', '2026-01-31T12:00:00.123Z')),
  tags: optional(fc.array(text, { maxLength: 5 })),
  notes: optional(lines),
  settings: optional(
    fc.oneof(json, fc.constantFrom(1e21, -0, 5e-324, '', ' ', 'null', '1', '=1', -1, false, [[[]]], { '': [null] })),
  ),
});

type Person = Record<string, unknown>;

/** Creates the valid users and changes some. Returns their number. */
async function createUsers(people: Person[]): Promise<number> {
  const nicknames = new Set<unknown>();
  let count = 0;
  for (const [at, person] of people.entries()) {
    const members = Object.entries({ ...person, email: `person.${at}@example.org` });
    const { data } = createUserInput.safeParse(Object.fromEntries(members.filter(([, value]) => value !== undefined)));
    const nickname = String(person.nickname).trim().toLowerCase();
    if (!data || (person.nickname !== undefined && nicknames.has(nickname))) continue;
    nicknames.add(nickname);
    const { id } = await createUser(data);
    if (at % 3 === 0) await updateUser({ id, name: 'Changed' }, 'test');
    count++;
  }
  return count;
}

const exportTo = async (file: string) => {
  await writeRows(file, tableSource.readUsers({ posts: true }), tableSource.fields);
  return readFileSync(file, 'utf8');
};

async function importFrom(file: string, { update = false } = {}): Promise<Record<string, number>> {
  const results = await Results.open(`${file}.results.ndjson`, undefined);
  const keep = { keepIds: true, keepTimes: true, despiteErasure: false, update, pause: async () => {} };
  const target = await openTableTarget({ ...keep, startedAt: results.startedAt, importId: '' });
  const rows = readRows(openSource(file).chunks, { keepIds: true });
  await importRows(rows, { target, pace: new Pace({ maxLimit: 4, isBusy: () => false }), results });
  results.close({ isComplete: true });
  return results.counts;
}

/** Fixed seed: reproducible failures. */
const people = fc.sample(person, { numRuns: countRuns(1_000), seed: 1815 });

test('importing an export restores the same users, in either format', async () => {
  const [ndjson, csv] = [join(folder, 'users.ndjson'), join(folder, 'users.csv')];
  const count = await createUsers(people);
  expect(count).toBeGreaterThan(20);
  const before = [await exportTo(ndjson), await exportTo(csv)];
  const settings = before[0]
    ?.trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line).settings ?? []);
  expect(new Set(settings?.map((value) => typeof value))).toEqual(new Set(['object', 'string', 'number', 'boolean']));
  for (const file of [ndjson, csv]) {
    await clearTable();
    expect(await importFrom(file)).toMatchObject({ created: count, exists: 0, invalid: 0 });
    expect([await exportTo(`${file}.again.ndjson`), await exportTo(`${file}.again.csv`)]).toEqual(before);
    const { users, found } = await checkTable();
    expect({ users, found }).toEqual({ users: count, found: {} });
  }
});

test('an import of changed users clears the fields that were cleared since', async () => {
  await clearTable();
  const since = new Date().toISOString();
  const values = { nickname: 'ace', plan: 'pro', settings: { a: 1 } };
  const cleared = { nickname: null, plan: null, settings: null };
  const { id } = await createUser({ name: 'Ada', email: 'ada@example.org', ...values });
  await logWrite(userKey(id), () => updateUser({ id, ...cleared }, 'test'));
  const { users } = await readChangedUsers(since, tableSource.readChanges);
  const file = join(folder, 'changed.ndjson');
  await writeRows(file, Readable.from(users), tableSource.fields);

  await updateUser({ id, ...values }, 'test');
  expect(await importFrom(file, { update: true })).toMatchObject({ updated: 1, invalid: 0 });
  expect((await findStoredUser(id))?.user.fields).toEqual({});
});

test('an update with the members of JSON in another order changes nothing', async () => {
  await clearTable();
  const ada = { name: 'Ada', email: 'ada@example.org' };
  const values = { settings: { a: 1, b: [{ c: 2, d: 3 }] } };
  const { id } = await createUser({ ...ada, ...values });
  const file = join(folder, 'reordered.ndjson');
  writeFileSync(file, JSON.stringify({ id, ...ada, settings: { b: [{ d: 3, c: 2 }], a: 1 } }));
  expect(await importFrom(file, { update: true })).toMatchObject({ unchanged: 1, updated: 0 });
  writeFileSync(file, JSON.stringify({ id, ...ada, settings: { a: 1, b: [{ c: 2, d: 4 }] } }));
  expect(await importFrom(file, { update: true })).toMatchObject({ unchanged: 0, updated: 1 });
});

test('the person of a table is exported with the copies in claims and search', async () => {
  await clearTable();
  const { id } = await createUser({ name: 'Ada', email: 'ada@example.org' });
  const person = await tableSource.readPerson(id);
  expect(person).toMatchObject({ user: { id, name: 'Ada', email: 'ada@example.org' }, posts: [], changes: [] });
  expect(person.copies).toHaveLength(5);
  expect(person.copies).toContainEqual(expect.objectContaining({ pk: 'EMAIL#ada@example.org', userId: id }));
  expect(person.copies).toContainEqual({ pk: 'SEARCH#ad', sk: `ada\t${id}` });
  expect(person.copies).toContainEqual({ pk: 'LIST#name', sk: `1ada\t${id}` });
});

test('an update with the values that readers see writes nothing, and counts as unchanged', async () => {
  await clearTable();
  const ada = { name: 'Ada', email: 'ada@example.org' };
  const values = { settings: { a: 1, b: 2 } };
  const { id } = await createUser({ ...ada, ...values });
  const before = await findStoredUser(id);
  const file = join(folder, 'equal.ndjson');
  writeFileSync(file, JSON.stringify({ id, ...ada, settings: { b: 2, a: 1 }, plan: 'free', isStaff: false }));
  expect(await importFrom(file, { update: true })).toMatchObject({ unchanged: 1, updated: 0 });
  expect(await findStoredUser(id)).toEqual(before);
});
