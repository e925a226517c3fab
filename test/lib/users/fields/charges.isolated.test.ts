import { expect, test, vi } from 'vitest';
import { schema } from '../../../../lib/graphql/schema/schema.ts';
import { findUser } from '../../../../lib/users/read.ts';
import { findUncharged } from '../../graphql/find-uncharged.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});

test('every resolver that sends a request to the table charges the budget, also lookups by own fields', async () => {
  const examples = {
    userByNickname: { nickname: 'Enchantress' },
    userByMemberNumber: { memberNumber: 'AB-0042' },
    userBySeat: { seat: 7 },
  };
  expect(await findUncharged(schema, examples)).toEqual([]);
});

test('a resolver that reads without charging fails the check', async () => {
  const field = schema.getQueryType()?.getFields().user;
  Object.assign(field ?? {}, { resolve: (_: unknown, { id }: { id: string }) => findUser(id) });
  expect(await findUncharged(schema, {}, 'user')).toEqual(['Query.user']);
});
