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
const readStored = () => drafts.parseDrafts(JSON.parse(stored.get('drafts') ?? 'null'));

test('stores drafts until they are dropped, equal the user again, or all are cleared', () => {
  drafts.setDraft(rename('Ada King'));
  drafts.setDraft(rename('Grace Hopper', { ...ada, id: '2' }));
  expect(readStored().map(({ input }) => input.name)).toEqual(['Ada King', 'Grace Hopper']);
  drafts.setDraft(rename(ada.name));
  expect(readStored().map(({ base }) => base.id)).toEqual(['2']);
  drafts.clearDrafts();
  expect(readStored()).toEqual([]);
});

test('own fields are changes as name and email are, and null clears one', async () => {
  const { ownFields } = await import('../../../../../infra/web/console/own-fields.ts');
  ownFields.set(() => [
    { name: 'nickname', type: 'string' },
    { name: 'tags', type: 'string', list: true },
  ]);
  const base = { ...ada, nickname: 'ada', tags: null };
  const input = { name: ada.name, email: ada.email, nickname: null, tags: ['vip'] };
  drafts.setDraft({ base, input });
  expect(readStored()).toEqual([{ base, input }]);
  expect(drafts.findChangedFields(base, input)).toEqual({ nickname: null, tags: ['vip'] });
  drafts.setDraft({ base, input: drafts.pickInput(base) });
  expect(readStored()).toEqual([]);
  ownFields.set(() => []);
});

test('after a save keeps only what was typed since, as a change of the saved user', () => {
  const [sent, saved] = [rename('Ada King'), { ...ada, name: 'Ada King', version: 2 }];
  drafts.setDraft(sent);
  drafts.settleDraft(sent, saved);
  expect(readStored()).toEqual([]);
  drafts.setDraft(sent);
  drafts.setDraft(rename('Ada Lovelace'));
  drafts.settleDraft(sent, saved);
  expect(readStored()).toEqual([rename('Ada Lovelace', saved)]);
});

test.each([null, true, [1], [{ base: { id: '1' }, input: {} }]])('reads no draft from %j', (value) => {
  expect(drafts.parseDrafts(value)).toEqual([]);
});

test('what is no JSON is left out', async () => {
  const { createSessionStore } = await import('../../../../../infra/web/console/store.ts');
  stored.set('broken', '{');
  expect(createSessionStore('broken', (value) => ({ value })).get()).toEqual({ value: null });
});

test('keeps the title of a post until it is saved, or equals that of the post again', () => {
  const edit = { id: 'p1', authorId: '1', base: 'Old', title: 'New' };
  const read = () => JSON.parse(stored.get('title-edits') ?? '[]');
  drafts.setTitleEdit(edit);
  drafts.setTitleEdit({ ...edit, title: 'Newer' });
  drafts.settleTitleEdit('p1', 'New', 'Saved');
  expect(read()).toEqual([{ ...edit, base: 'Saved', title: 'Newer' }]);
  expect(drafts.hasDrafts()).toBe(true);
  drafts.settleTitleEdit('p1', 'Newer', 'Newer');
  expect(read()).toEqual([]);
  drafts.setTitleEdit({ ...edit, title: 'Old' });
  expect(drafts.hasDrafts()).toBe(false);
});
