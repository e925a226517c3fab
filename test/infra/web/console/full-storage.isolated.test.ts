import './browser-globals.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import { beginImport, endImport, isUnfinished } from '../../../../infra/web/console/import/import-id.ts';
import { linkTo, setPageSize } from '../../../../infra/web/console/route.ts';

beforeEach(() => {
  vi.stubGlobal('history', { pushState: () => {} });
  vi.spyOn(localStorage, 'setItem').mockImplementation(() => {
    throw new DOMException('The quota has been exceeded', 'QuotaExceededError');
  });
});

test('an import begins and ends although the storage is full', () => {
  const file = new File(['name,email'], 'people.csv', { lastModified: 0 });
  const id = beginImport(file);
  expect(isUnfinished(file)).toBe(true);
  expect(beginImport(file)).toBe(id);
  endImport(file);
  expect(isUnfinished(file)).toBe(false);
});

test('the page size changes although the storage is full', () => {
  setPageSize(50);
  // Links omit the usual size.
  expect(linkTo({ page: 1 }).href).toBe('/');
  expect(linkTo({ page: 2 }).href).toBe('?page=2&size=50');
});
