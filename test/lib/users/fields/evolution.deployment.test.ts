import { beforeEach, expect, test } from 'vitest';
import { newPerson } from '../../../setup/test-data.ts';
import { deploy } from './deploy.ts';

beforeEach(async () => (await deploy({})).clearTable());

test('a field that is declared again has its values, and they find their users', async () => {
  const fields = { nickname: { type: 'string', unique: true, search: true } } as const;
  const before = await deploy(fields);
  const [ada, bob, cy] = [
    await before.add({ nickname: 'ada' }),
    await before.add({ nickname: 'bob' }),
    await before.add({ nickname: 'cyrus' }),
  ];
  await before.run();
  const without = await deploy({});
  await without.run();
  await without.update(ada, { name: 'Augusta King' });
  await without.remove(bob);
  const again = await deploy(fields);
  expect(await again.run()).toMatchObject({
    backfill: { users: 2, rewritten: 2, endedAt: expect.anything() },
  });
  expect((await again.list({ q: 'ada' })).json).toMatchObject([{ id: ada, name: 'Augusta King', nickname: 'ada' }]);
  expect(await again.find({ nickname: 'cyrus' })).toEqual([cy]);
  expect((await again.create({ nickname: 'bob' })).status).toBe(201);
  expect((await again.create({ nickname: 'Ada' })).status).toBe(409);
});

/** FIRST_NAME has a word that begins like the nickname, so the nickname's entry needs a longer prefix than with NEXT_NAME. */
const [FIRST_NAME, NEXT_NAME] = ['Person ad732036', 'Augusta King'];

test.each([
  ['before and after the user is changed', ['before', 'after']],
  ['before the user is changed', ['before']],
  ['after the user is changed', ['after']],
  ['never', []],
])(
  'a user is listed once, under the name of now, whose search field was not declared meanwhile; index-pages ran %s',
  async (_, runs) => {
    const fields = { nickname: { type: 'string', search: true } } as const;
    const before = await deploy(fields);
    const id = await before.add({ name: FIRST_NAME, nickname: 'ada' });
    await before.run();
    const without = await deploy({});
    if (runs.includes('before')) await without.run();
    await without.update(id, { name: NEXT_NAME });
    if (runs.includes('after')) await without.run(10);
    const again = await deploy(fields);
    await again.run(10);
    const users = [{ id, name: NEXT_NAME, nickname: 'ada' }];
    expect((await again.list({ q: 'ad' })).json).toMatchObject(users);
    expect((await again.list({ q: 'ada' })).json).toMatchObject(users);
  },
);

/**
 * Creates a user with former nicknames: countess and empress while the field is unique and searched, duchess while it
 * is neither.
 */
async function addFormerValues() {
  const before = await deploy({ nickname: { type: 'string', unique: true, search: true } });
  const other = await before.add({ nickname: 'baroness' });
  const id = await before.add({ nickname: 'countess' });
  await before.run();
  const plain = await deploy({ nickname: { type: 'string' } });
  await plain.update(id, { nickname: 'duchess' });
  const restored = await deploy({ nickname: { type: 'string', unique: true, search: true } });
  await restored.update(id, { nickname: 'empress' });
  return { id, other, after: await deploy({}) };
}

const FORMER = ['countess', 'duchess', 'empress'];

test('a deletion leaves no items of undeclared fields', async () => {
  const { id, other, after } = await addFormerValues();
  await after.remove(id);
  const isEntryOfLog = (key: string) => key.startsWith('CHANGES#');
  expect((await after.findItems(...FORMER)).filter((key) => !isEntryOfLog(key))).toEqual([]);
  const again = await deploy({ nickname: { type: 'string', unique: true, search: true } });
  expect(await again.find({ nickname: 'baroness' })).toEqual([other]);
  expect((await again.create({ nickname: 'Empress' })).status).toBe(201);
});

test.each([
  ['with a change log', true],
  ['without one', false],
])('an erasure leaves no values of undeclared fields, %s', async (_, keepsChangeLog) => {
  const { id, other, after } = await addFormerValues();
  Object.defineProperty(after.environment, 'keepsChangeLog', { value: keepsChangeLog });
  await after.erase(id);
  expect(await after.findErasure(id)).toMatchObject({ completedAt: null });
  after.environment.now = () => Date.now() + 6 * 60_000;
  // One run empties the change log, the next one completes the erasure.
  await after.run();
  expect(await after.run()).toMatchObject({ erased: [id] });
  const again = await deploy({ nickname: { type: 'string', unique: true, search: true } });
  await again.run();
  expect(await again.findItems(...FORMER)).toEqual([]);
  expect(await again.find({ q: 'countess' })).toEqual([]);
  expect(await again.find({ nickname: 'baroness' })).toEqual([other]);
});

test('search fields in another order find each user once by every field', async () => {
  const before = await deploy({ nickname: { type: 'string', search: true }, title: { type: 'string', search: true } });
  const id = await before.add({ nickname: 'bobby', title: 'bob' });
  const after = await deploy({ title: { type: 'string', search: true }, nickname: { type: 'string', search: true } });
  expect(await after.run()).toMatchObject({ backfill: { rewritten: 1 } });
  for (const q of ['bo', 'bob', 'bobb', 'bobby'])
    expect({ q, found: await after.find({ q }) }).toEqual({ q, found: [id] });
});

test('old and new releases on one table keep each other’s values', async () => {
  const old = await deploy({ plan: { type: 'string' }, phone: { type: 'string' } });
  const id = await old.add({ plan: 'free', phone: '1' });
  const next = await deploy({ plan: { type: 'string' }, nickname: { type: 'string', unique: true } });
  await next.update(id, { nickname: 'ada' });
  await old.update(id, { plan: 'pro' });
  await next.update(id, { plan: 'team' });
  await old.replace(id, { ...newPerson(), phone: '2' });
  await next.replace(id, { ...newPerson(), nickname: 'ada' });
  await Promise.all([old.update(id, { phone: '3' }), next.update(id, { plan: 'basic' })]);
  expect(await old.get(id)).toMatchObject({ plan: 'basic', phone: '3' });
  expect(await next.get(id)).toMatchObject({ plan: 'basic', nickname: 'ada' });
  expect(await next.find({ nickname: 'ada' })).toEqual([id]);
});

test('values of a removed field do not count towards the size of the others', async () => {
  const before = await deploy({ bio: { type: 'string', maxLength: 7600 } });
  const id = await before.add({ bio: 'x'.repeat(7000) });
  const after = await deploy({ about: { type: 'string', maxLength: 7600 } });
  const about = 'y'.repeat(7000);
  expect((await after.update(id, { about })).json).toMatchObject({ about });
  // Both fields together exceed the size limit, but shorter values, and changes of other fields, are accepted.
  const both = { bio: { type: 'string' }, about: { type: 'string' }, seat: { type: 'integer' } } as const;
  const again = await deploy({
    ...both,
    bio: { ...both.bio, maxLength: 3800 },
    about: { ...both.about, maxLength: 3800 },
  });
  expect((await again.update(id, { bio: 'short' })).status).toBe(200);
  expect((await again.update(id, { seat: 1 })).status).toBe(200);
});

test('purge-field deletes all values of a removed field except in the log, and keeps other fields', async () => {
  const fields = { nickname: { type: 'string', unique: true, search: true }, bio: { type: 'string' } } as const;
  const before = await deploy(fields);
  const id = await before.add({ nickname: 'countess', bio: 'engines' });
  const other = await before.add({ bio: 'looms' });
  await before.run();
  await expect(before.purgeField('nickname')).rejects.toThrow('The field nickname is still declared');
  const after = await deploy({ bio: fields.bio });
  await expect(after.purgeField('nickname')).rejects.toThrow(
    'The deployed service still declares nickname as a unique, search, filter or sort field',
  );
  await after.run();
  expect(await after.purgeField('nickname', { isDryRun: true })).toMatchObject({ users: 1, claims: 0 });
  const stored = await after.readItem(id);
  expect(stored?.fields).toEqual({ nickname: 'countess', bio: 'engines' });
  expect(await after.purgeField('nickname')).toMatchObject({ users: 1, claims: 0, unreadable: [] });
  await after.consume(id, stored);
  expect(await after.readItem(id)).toMatchObject({ fields: { bio: 'engines' }, version: 2, by: 'system' });
  expect(await after.readItem(other)).toMatchObject({ fields: { bio: 'looms' }, version: 1 });
  expect((await after.findItems('countess')).filter((key) => !key.startsWith('CHANGES#'))).toEqual([]);
  expect(await after.purgeField('nickname')).toMatchObject({ users: 0, claims: 0 });
});

test('purge-field keeps concurrent writes', async () => {
  const before = await deploy({ nickname: { type: 'string' }, bio: { type: 'string' } });
  const ids = await Promise.all(Array.from({ length: 8 }, () => before.add({ nickname: 'countess', bio: 'old' })));
  const after = await deploy({ bio: { type: 'string' } });
  const updates = ids.map((id) => after.update(id, { bio: 'new' }));
  await after.purgeField('nickname');
  expect((await Promise.all(updates)).map(({ status }) => status)).toEqual(ids.map(() => 200));
  for (const id of ids) expect((await after.readItem(id))?.fields).toEqual({ bio: 'new' });
});

test('a default or declaration that changes the body changes the ETag, but not the version', async () => {
  const plan = { type: 'string', default: 'free' } as const;
  const declarations = [
    {},
    { plan },
    { plan: { ...plan, default: 'pro' } },
    { plan, seat: { type: 'integer', default: 1 } },
    { seat: { type: 'integer', default: 1 }, plan },
    { nickname: { type: 'string' } },
  ] as const;
  const id = await (await deploy({})).add();
  const seen = new Map<string, string>();
  for (const fields of declarations) {
    const { read, patch } = await deploy(fields);
    const { text, headers } = await read(id);
    const etag = String(headers.etag);
    expect(seen.get(etag) ?? text).toBe(text);
    for (const other of seen.keys()) {
      expect((await read(id, { 'if-none-match': other })).status).toBe(other === etag ? 304 : 200);
      // The condition holds, because only the declarations differ, not the version.
      expect((await patch(id, {}, { 'if-match': other })).status).toBe(200);
    }
    expect((await patch(id, {}, { 'if-match': '"2"' })).headers.etag).toBe(etag);
    seen.set(etag, text);
  }
  expect(seen.size).toBe(5);
});
