import { expect, test } from 'vitest';
import { schema } from '../../../lib/graphql/schema/schema.ts';
import { findUser } from '../../../lib/users/read.ts';
import { findUncharged } from './find-uncharged.ts';

test('every resolver that sends a request to the table charges the budget', async () => {
  expect(await findUncharged(schema)).toEqual([]);
});

test('a resolver that reads without charging fails the check', async () => {
  const field = schema.getQueryType()?.getFields().user;
  const resolve = field?.resolve;
  Object.assign(field ?? {}, { resolve: (_: unknown, { id }: { id: string }) => findUser(id) });
  expect(await findUncharged(schema)).toEqual(['Query.user']);
  Object.assign(field ?? {}, { resolve });
});
