import { expect, test, vi } from 'vitest';
import { listTexts, MAX_FIELD_WORDS } from '../../../../lib/features/search/entries.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { bare } from '../../rest/client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/odd-own-fields.json';
});

test('search fields have a limited number of words together', async () => {
  const value = Array.from({ length: 10 }, (_, at) => `word${at}`).join(' ');
  const words = Array.from({ length: 20 }, (_, at) => `${at}${value}`);
  expect((await bare.create({ ...newPerson(), words })).status).toBe(201);
  const texts = listTexts({ name: 'Ada', email: 'ada@example.org', fields: { words } });
  expect(texts).toHaveLength(2 + MAX_FIELD_WORDS);
});
