import { expect, test } from 'vitest';
import { listTexts } from '../../../../lib/features/search/entries.ts';
import { normalizeText } from '../../../../lib/input/normalized-text.ts';

test.each([
  ['Zoë', 'zoe'],
  ['ZOE\u0308', 'zoe'],
  ['Ångström', 'angstrom'],
  ['İstanbul', 'istanbul'],
  ['Ｆｕｌｌ ﬁ', 'full fi'],
  ['  Ada \t King ', 'ada king'],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευσ'],
  ['Οδυσσεύς', 'οδυσσευσ'],
  ['Łukasz Sørensen', 'lukasz sorensen'],
  ['Großmann Kıraç', 'grossmann kirac'],
  ['D’Angelo Æthel Œuvre Þór Đức', "d'angelo aethel oeuvre thor duc"],
  ['🦊', '🦊'],
  ['', ''],
])('%j is normalized to %j', (text, normalized) => {
  expect(normalizeText(text)).toBe(normalized);
});

const listNameTexts = (name: string) => listTexts({ name, email: '' });

test.each([
  ['Ada King Lovelace', ['ada king lovelace', 'king lovelace', 'lovelace']],
  ['Jean-Luc Picard', ['jean-luc picard', 'luc picard', 'picard']],
  ["O'Brien", ["o'brien", 'brien']],
  ['(Bob) Smith', ['(bob) smith', 'bob) smith', 'smith']],
  ['🦊🦊 Fox', ['🦊🦊 fox', 'fox']],
  ['J R', ['j r']],
  ['X', []],
  ['李', ['李']],
  ['李 明', ['李 明', '明']],
  ['さ X 김', ['さ x 김'.normalize('NFKD'), 'x 김'.normalize('NFKD'), '김'.normalize('NFKD')]],
])('%s is found by %j', (name, texts) => {
  expect(listNameTexts(name)).toEqual(texts);
});

test('an email address is found by its beginning only', () => {
  expect(listTexts({ name: 'X', email: 'Ada.King@Example.org' })).toEqual(['ada.king@example.org']);
});

test('a name is found by its first ten words', () => {
  const name = Array.from({ length: 128 }, (_, at) => String.fromCharCode(97 + (at % 26))).join(' ');
  expect(name).toHaveLength(255);
  expect(listNameTexts(name)).toHaveLength(10);
});
