import { beforeAll, beforeEach, expect, test, vi } from 'vitest';

const stored = new Map<string, string>();
vi.stubGlobal('sessionStorage', {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => stored.set(key, value),
});

let drafts: typeof import('../../../../../infra/web/console/user/drafts.ts');
beforeAll(async () => {
  drafts = await import('../../../../../infra/web/console/user/drafts.ts');
});
beforeEach(() => drafts.clearDrafts());

const ada = { id: '1', name: 'Ada', email: 'ada@example.org', version: 1 };
const rename = (name: string, base = ada) => ({ base, input: { name, email: base.email } });
const setDraft = ({ base, input }: ReturnType<typeof rename>) => drafts.userDrafts.set(base, input);
const readStored = (name = 'drafts') => JSON.parse(stored.get(name) ?? '[]');
const listNames = () => readStored().map(({ input }: { input: { name: string } }) => input.name);

test('stores drafts until they are dropped, equal the user again, or all are cleared', () => {
  setDraft(rename('Ada King'));
  setDraft(rename('Grace Hopper', { ...ada, id: '2' }));
  expect(listNames()).toEqual(['Ada King', 'Grace Hopper']);
  setDraft(rename(ada.name));
  expect(listNames()).toEqual(['Grace Hopper']);
  drafts.clearDrafts();
  expect(readStored()).toEqual([]);
});

test('finds changes of name, email and own fields; null clears an own field', async () => {
  const { ownFields } = await import('../../../../../infra/web/console/own-fields.ts');
  ownFields.set(() => [
    { name: 'nickname', type: 'string' },
    { name: 'tags', type: 'string', list: true },
  ]);
  const base = { ...ada, nickname: 'ada', tags: null };
  const input = { name: ada.name, email: ada.email, nickname: null, tags: ['vip'] };
  drafts.userDrafts.set(base, input);
  expect(readStored()).toEqual([{ base, input, key: expect.any(String) }]);
  expect(drafts.findChangedFields(base, input)).toEqual({ nickname: null, tags: ['vip'] });
  drafts.userDrafts.set(base, drafts.pickInput(base));
  expect(readStored()).toEqual([]);
  ownFields.set(() => []);
});

test('an earlier version is restored except for values that it cannot replace', async () => {
  const { ownFields } = await import('../../../../../infra/web/console/own-fields.ts');
  ownFields.set(() => [
    { name: 'sub', type: 'string', subject: true },
    { name: 'unit', type: 'string', required: true },
    { name: 'nickname', type: 'string' },
  ]);
  const current = { ...ada, name: 'Ada King', sub: 'ada', unit: 'north', nickname: 'countess' };
  const { name, email } = ada;
  const kept = { name, email, sub: 'ada', nickname: null };
  expect(drafts.pickRestorable(ada, current)).toEqual({ ...kept, unit: 'north' });
  expect(drafts.pickRestorable({ ...ada, sub: 'other', unit: 'south' }, current)).toEqual({ ...kept, unit: 'south' });
  expect(drafts.pickRestorable({ ...ada, sub: 'other' }, ada)).toMatchObject({ sub: 'other', unit: null });
  ownFields.set(() => []);
});

test('an earlier version is restored without its logins and its last sign-in', async () => {
  const { ownFields } = await import('../../../../../infra/web/console/own-fields.ts');
  ownFields.set(() => [
    { name: 'sub', type: 'string', subject: true, list: true },
    { name: 'lastSeen', type: 'dateTime', signIn: true },
  ]);
  const current = { ...ada, sub: ['ada', 'work'], lastSeen: '2026-11-22T12:00:00.000Z' };
  const earlier = { ...ada, name: 'Ada King', sub: ['ada'], lastSeen: null };
  const { id: _, version: __, ...restored } = { ...current, name: 'Ada King' };
  expect(drafts.pickRestorable(earlier, current)).toEqual(restored);
  ownFields.set(() => []);
});

test('after a save, keeps only later edits, as a change of the saved user', () => {
  const saved = { ...ada, name: 'Ada King', version: 2 };
  drafts.userDrafts.settle(setDraft(rename('Ada King')), saved);
  expect(readStored()).toEqual([]);
  const sent = setDraft(rename('Ada King'));
  const { key } = setDraft(rename('Ada Lovelace'));
  drafts.userDrafts.settle(sent, saved);
  expect(readStored()).toEqual([{ ...rename('Ada Lovelace', saved), key: expect.any(String) }]);
  // Text typed during the save is a new request.
  expect(key).not.toBe(sent.key);
});

test('a choice after a conflict is based on a later version than the draft', () => {
  const draft = setDraft(rename('Ada King'));
  const save = (version: number) => ({ draft, base: { ...ada, version }, input: draft.input });
  expect(drafts.isChoice(draft, undefined)).toBe(false);
  expect([1, 2].map((version) => drafts.isChoice(draft, save(version)))).toEqual([false, true]);
});

test('a sign-out forgets users and titles', () => {
  setDraft(rename('Ada King'));
  drafts.titleDrafts.set({ id: 'p1', authorId: '1', title: 'Old' }, { title: 'New' });
  expect(drafts.hasDrafts()).toBe(true);
  drafts.clearDrafts();
  expect(drafts.hasDrafts()).toBe(false);
  expect(drafts.titleDrafts.list()).toEqual([]);
});

test('skips stored drafts that are incomplete', async () => {
  stored.set('drafts', JSON.stringify([rename('Grace', { ...ada, id: '2' }), { ...rename('Ada King'), key: 'k' }]));
  vi.resetModules();
  const { userDrafts } = await import('../../../../../infra/web/console/user/drafts.ts');
  expect(userDrafts.find(ada.id)).toEqual({ ...rename('Ada King'), key: 'k' });
  expect(userDrafts.find('2')).toBeUndefined();
});

test.each([null, true, [1], [{ base: { id: '1' }, input: {} }]])('drops an invalid stored draft: %j', async (value) => {
  stored.set('drafts', JSON.stringify(value));
  vi.resetModules();
  const { userDrafts } = await import('../../../../../infra/web/console/user/drafts.ts');
  expect(userDrafts.list()).toEqual([]);
});

test('drops stored text that is not JSON', async () => {
  const { createSessionStore } = await import('../../../../../infra/web/console/store.ts');
  stored.set('broken', '{');
  expect(createSessionStore('broken', (value) => ({ value })).get()).toEqual({ value: null });
});

test("keeps a post's title until it is saved or equals the post's again", () => {
  const base = { id: 'p1', authorId: '1', title: 'Old' };
  const sent = drafts.titleDrafts.set(base, { title: 'New' });
  const latest = drafts.titleDrafts.set(base, { title: 'Newer' });
  drafts.titleDrafts.settle(sent, { ...base, title: 'Saved' });
  expect(readStored('titles')).toMatchObject([{ base: { ...base, title: 'Saved' }, input: latest.input }]);
  expect(drafts.hasDrafts()).toBe(true);
  drafts.titleDrafts.settle(latest, { ...base, title: 'Newer' });
  expect(readStored('titles')).toEqual([]);
  drafts.titleDrafts.set(base, { title: 'Old' });
  expect(drafts.hasDrafts()).toBe(false);
});
