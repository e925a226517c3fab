import { expect, test, vi } from 'vitest';
import { schema } from '../../../../lib/graphql/schema/schema.ts';
import { findUncharged } from '../../graphql/find-uncharged.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});

test('lookups by own fields charge the budget', async () => {
  const examples = {
    userByNickname: { nickname: 'Enchantress' },
    userByMemberNumber: { memberNumber: 'AB-0042' },
    userBySeat: { seat: 7 },
  };
  expect(await findUncharged(schema, examples)).toEqual([]);
});
