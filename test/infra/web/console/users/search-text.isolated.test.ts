import '../browser-globals.ts';
import { afterEach, expect, test } from 'vitest';
import { ownFields } from '../../../../../infra/web/console/own-fields.ts';
import { describeSearched, explainSearch } from '../../../../../infra/web/console/users/search-text.ts';

afterEach(() => ownFields.set(() => []));

test('the search names its fields by their labels', () => {
  expect(describeSearched()).toBe('Name or Email');
  ownFields.set(() => [
    { name: 'phone', type: 'string', label: 'Telefon', search: true },
    { name: 'plan', type: 'string', filter: true },
    { name: 'homeTown', type: 'string', search: { maxWords: 2 } },
  ]);
  expect(describeSearched()).toBe('Name, Email, Telefon, or Home town');
});

test('a search that finds nobody says what to type', () => {
  ownFields.set(() => [{ name: 'memberNumber', type: 'string', unique: true }]);
  expect(explainSearch('acme')).toBe(
    'The search finds words that begin with the typed ones, in Name or Email. For the domain of an address, type @acme. Type the whole value of Member number.',
  );
  expect(explainSearch('king ad')).toContain('type @example.org.');
  expect(explainSearch('@acme')).not.toContain('domain');
});
