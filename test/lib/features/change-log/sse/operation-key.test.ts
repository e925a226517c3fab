import { getOperationAST, parse } from 'graphql';
import { expect, test } from 'vitest';
import { createOperationKey } from '../../../../../lib/features/change-log/sse/operation-key.ts';
import type { Access } from '../../../../../lib/graphql/authenticate.ts';

const OPEN: Access = { caller: 'ada' };

function createKey(
  text: string,
  variables: Record<string, unknown> = {},
  access = OPEN,
  operationName?: string,
): string {
  const document = parse(text);
  const operation = getOperationAST(document, operationName);
  if (!operation) throw new Error(`No operation in ${text}`);
  return createOperationKey(document, operation, variables, access);
}

const withPosts = (argument: string, variables = '$after: ID, ') =>
  `subscription (${variables}$first: Int) { userChanged(after: ${argument}) { user { posts(first: $first) { id } } } }`;
const token = (scope: string, sub: string): Access => ({ caller: `sub:${sub}`, claims: { scope, sub } });
const key = createKey(withPosts('$after'), { after: 'x', first: 2 });

test.each([
  ['another cursor in a variable', createKey(withPosts('$after'), { after: 'y', first: 2 })],
  ['another cursor in the document', createKey(withPosts('"y"', ''), { first: 2 })],
  ['the variables in another order', createKey(withPosts('$after'), { first: 2, after: 'x' })],
  ['another variable that the document lacks', createKey(withPosts('$after'), { after: 'x', first: 2, last: 1 })],
  ['other spaces', createKey(withPosts('$after').replaceAll(' ', '  '), { first: 2 })],
])('subscriptions with %s have the same key', (_, other) => {
  expect(other).toBe(key);
});

test.each([
  ['another variable below the root field', createKey(withPosts('$after'), { after: 'x', first: 3 })],
  ['another selection', createKey(withPosts('$after').replace('id }', 'title }'), { after: 'x', first: 2 })],
  ['fewer rights', createKey(withPosts('$after'), { after: 'x', first: 2 }, token('users:read', 'ada'))],
])('subscriptions with %s have another key', (_, other) => {
  expect(other).not.toBe(key);
});

test('null and an absent variable have different keys, because only the second one has the default', () => {
  const text = 'subscription ($first: Int = 1) { userChanged { user { posts(first: $first) { id } } } }';
  expect(createKey(text, { first: null })).not.toBe(createKey(text));
  const nested = 'subscription ($first: Int) { userChanged { user { posts(first: $first) { id } } } }';
  expect(createKey(nested, { first: null })).not.toBe(createKey(nested));
});

test('callers with the same rights have the same key, and others have different keys', () => {
  const [ada, bob, historian] = [
    token('users:read', 'ada'),
    token('users:read', 'bob'),
    token('users:read users:history', 'ada'),
  ];
  const keys = [ada, bob, historian].map((access) => createKey('subscription { userChanged { id } }', {}, access));
  expect(keys[0]).toBe(keys[1]);
  expect(keys[0]).not.toBe(keys[2]);
});
