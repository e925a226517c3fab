import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listTexts } from '../../../../lib/features/search/entries.ts';
import { parseSearch } from '../../../../lib/features/search/query.ts';
import { countTexts, listStoredTexts } from '../../../../lib/features/search/text.ts';
import { normalizeText } from '../../../../lib/input/text.ts';

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
  ['\u2060Ni\u00adna \u200b', 'nina'],
  ['Ni\u2800na\ufff9', 'nina'],
  ['', ''],
])('%j is normalized to %j', (text, normalized) => {
  expect(normalizeText(text)).toBe(normalized);
});

const listNameTexts = (name: string) => listTexts({ name, email: 'ada@example.org' }).indexed.slice(0, -2);

test.each([
  ['Ada King Lovelace', ['ada king lovelace', 'king lovelace ada', 'lovelace ada king']],
  ['Jean-Luc Picard', ['jean luc picard', 'luc picard jean', 'picard jean luc']],
  ['O’Brien', ['obrien', 'brien']],
  ["Conan O'Brien", ['conan obrien', 'obrien conan', 'brien conan']],
  ['(Bob) Smith', ['bob smith', 'smith bob']],
  ['🦊🦊 Fox', ['🦊🦊 fox', 'fox 🦊🦊']],
  ['J.R. Ewing', ['j r ewing', 'ewing j r']],
  ['Jürgen Müller', ['jurgen muller', 'muller jurgen', 'juergen mueller', 'mueller juergen']],
  ['Søren Å', ['soren a', 'soeren aa', 'aa soeren']],
  ['李', ['李']],
  ['李 明', ['李明', '明李']],
  ['李明', ['李明', '明']],
  ['李小龙 Bruce', ['李小龙 bruce', 'bruce 李小龙', '小龙 bruce', '龙 bruce']],
  ['山田太郎', ['山田太郎', '田太郎', '太郎', '郎']],
  ['ジョン・スミス', ['ジョンスミス', 'スミスジョン'].map(normalizeText)],
  ['김철수', ['김철수', '철수', '수'].map(normalizeText)],
  ['+49 170 1234567', ['491701234567', '170123456749', '123456749170']],
  ['+491701234567', ['491701234567', '1701234567']],
  ['00420601234567', ['00420601234567', '601234567']],
  ['!?', []],
])('%s is found by %j', (name, texts) => {
  expect(listNameTexts(name)).toEqual(texts);
});

test('an email address is found by its beginning and by its domain', () => {
  const { indexed } = listTexts({ name: 'X', email: 'Ada.King@Example.org' });
  expect(indexed).toEqual(['x', 'ada.king@example.org', '@example.org']);
});

test('a name is found by its first ten words, and by other spellings if texts are left', () => {
  const name = Array.from({ length: 85 }, (_, at) => `${String.fromCharCode(97 + (at % 26))}ä`).join(' ');
  expect(name).toHaveLength(254);
  expect(listNameTexts(name).map((text) => text.slice(0, 2))).toEqual([...'abcdefghij'].map((letter) => `${letter}a`));
  expect(listNameTexts('hä bö cü dä eä fo')).toHaveLength(10);
});

test.each([
  ['Ada Kin', [['ada'], ['kin']], [['ada kin'], ['ada']]],
  ['Müller', [['muller', 'mueller']], [['muller', 'mueller']]],
  ['Jean-Luc P', [['jean luc', 'jean-luc'], ['p']], [['jean luc p'], ['jean luc', 'jean-luc']]],
  ["O'Brien", [['obrien', "o'brien"]], [['obrien', "o'brien"]]],
  ['@firma.de', [['@firma.de']], [['@firma.de']]],
  ['firma.de', [['firma de', 'firma.de', '@firma.de']], [['firma de', 'firma.de', '@firma.de']]],
  ['170 1234567', [['1701234567']], [['1701234567']]],
  ['+49 (0)170/12-34', [['491701234']], [['491701234']]],
  ['0170', [['0170', '170']], [['0170', '170']]],
  ['"Müller, Jürgen" <j.m@firma.de>;', [['j.m@firma.de']], [['j.m@firma.de']]],
  ['mailto:a@b.de?subject=Hi', [['a@b.de']], [['a@b.de']]],
  ['a@b.de;', [['a@b.de']], [['a@b.de']]],
  ['“ada”,', [['ada']], [['ada']]],
  ['a b', [['a'], ['b']], [['a b']]],
])('%j is parsed as the words %j', (typed, words, stages) => {
  expect(parseSearch(typed).query).toEqual({ words, stages, id: undefined });
});

test.each([
  ['ä', 2],
  ['ä bc', 4],
  ['ä 李 明', 6],
  ["ä'李 明", 6],
])('%s needs as many texts as its length allows: %d', (text, count) => {
  expect(countValueTexts(text)).toBe(count);
  expect(countTexts(field([...text].length))).toBe(count);
});

const field = (maxLength: number) => ({ name: 'motto', type: 'string' as const, maxLength });
const countValueTexts = (text: string) => {
  const { words, others } = listStoredTexts(text, 256);
  return words.length + others.length;
};

test('a value never needs more texts than its length allows', () => {
  const letters = ['a', 'ä', 'ß', '明', '김', '7', "'", ' ', '-', '+', '@', ',', '🦊', '(0)', 'İ'];
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...letters), maxLength: 20 }), (text) => {
      expect(countValueTexts(text)).toBeLessThanOrEqual(countTexts(field([...text].length)));
    }),
  );
});
