import { v7 as uuidv7 } from 'uuid';
import { expect, test, vi } from 'vitest';
import { listTexts } from '../../../../lib/features/search/entries.ts';
import { deriveItems } from '../../../../lib/users/derived.ts';
import { countDerivedKeys } from '../../../../lib/users/derived-keys.ts';
import { ownFields } from '../../../../lib/users/fields/values.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { bare } from '../../rest/client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/odd-own-fields.json';
});

test('all search fields together have a limited number of words', async () => {
  const value = Array.from({ length: 10 }, (_, at) => `word${at}`).join(' ');
  const words = Array.from({ length: 20 }, (_, at) => `${at}${value}`);
  expect((await bare.create({ ...newPerson(), words })).status).toBe(201);
  const { indexed } = listTexts({ name: 'Ada', email: 'ada@example.org', fields: { words } });
  expect(indexed).toHaveLength(3 + 20);
});

test('a user has at most as many derived items as the check of the declarations expects', () => {
  const id = uuidv7();
  const name = Array.from({ length: 12 }, (_, at) => `${String.fromCharCode(97 + at)}${at}`).join(' ');
  const words = Array.from({ length: 30 }, (_, at) => `${at + 10}`);
  const own = Object.fromEntries(ownFields.map(({ name }) => [name, name === 'words' ? words : `${name} value`]));
  const items = deriveItems({ id, name, email: 'zz@example.org', fields: own, own });
  const counts = countDerivedKeys(ownFields).map(({ count }) => count);
  expect(items).toHaveLength(counts.reduce((sum, count) => sum + count));
});
