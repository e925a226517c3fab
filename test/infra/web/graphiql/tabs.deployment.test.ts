import { parse, validate } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillVariables, findOperation } from '../../../../infra/web/graphiql/request.ts';
import { tabs } from '../../../../infra/web/graphiql/tabs.ts';
import { schema } from '../../../../lib/graphql/schema/schema.ts';
import { type LocalService, startLocalService } from '../../../setup/local-service.ts';

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService();
});
afterAll(() => service.stop());

async function runTab({ query, variables = '{}' }: { query: string; variables?: string }) {
  const url = `${service.url}/graphql`;
  const filled = await fillVariables(url, JSON.parse(variables));
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: filled }),
  });
  return response.json();
}

test('the tabs work on an empty table, in any order, repeatedly', async () => {
  const once = tabs.filter(({ query }) => findOperation(query, undefined)?.operation !== 'subscription');
  // In reverse order, a post is created before its author.
  for (const tab of [...once.toReversed(), ...once]) expect(await runTab(tab)).toEqual({ data: expect.any(Object) });
});

test("finds a document's operation although the name is another tab's", () => {
  const query = 'query A { __typename } subscription B { userChanged { id } }';
  expect(findOperation(query, 'B')?.operation).toBe('subscription');
  expect(findOperation(query, 'FromAnotherTab')?.name?.value).toBe('A');
  expect(findOperation('{ unfinished', undefined)).toBeUndefined();
});

test.each(tabs)('the initial tab is valid in the schema: $query', ({ query }) => {
  expect(validate(schema, parse(query))).toEqual([]);
});
