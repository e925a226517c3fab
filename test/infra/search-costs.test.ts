import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { COSTS_FILE, replaceMeasured } from '../../infra/bench/costs/costs-page.ts';
import { measureSearchTexts } from '../../infra/bench/costs/search.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});

test('infra/costs.md has the measured cost of each kind of text that a search finds', async () => {
  const page = replaceMeasured(readFileSync(COSTS_FILE, 'utf8'), await measureSearchTexts(), 'search');
  await expect(page).toMatchFileSnapshot('../../infra/costs.md');
});
