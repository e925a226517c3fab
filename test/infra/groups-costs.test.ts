import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { COSTS_FILE, replaceMeasured } from '../../infra/bench/costs/costs-page.ts';
import { measureGroups } from '../../infra/bench/costs/groups.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/group-fields.json';
});

test('infra/costs.md has the measured cost of each operation of groups', async () => {
  const page = replaceMeasured(readFileSync(COSTS_FILE, 'utf8'), await measureGroups(), 'groups');
  await expect(page).toMatchFileSnapshot('../../infra/costs.md');
});
