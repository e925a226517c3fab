import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { createApp, synthesize } from './synth.ts';

const tokens = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users' };

test('only auth=none prints a warning', () => {
  const findWarnings = (context: object) =>
    Annotations.fromStack(createApp({ ...context }).stack).findWarning('*', Match.anyValue());
  expect(findWarnings({ auth: 'none' }).map(({ entry }) => entry.data)).toEqual([
    expect.stringContaining('auth=none: anyone who knows the URLs can read and change all users.'),
  ]);
  expect([...findWarnings({}), ...findWarnings(tokens)]).toEqual([]);
});

test.each<[string, object, string]>([
  ['auth=none in a new account', { auth: 'none' }, "Set graphqlConcurrency to 'unlimited', and to a number once"],
  ['auth=jwt with a quota of 1000', { ...tokens, concurrency: 1000 }, 'Set graphqlConcurrency to 450, or to '],
])('with %s, the synthesis needs graphqlConcurrency, and says which', (_, auth, message) => {
  const synthesizeWith = (graphqlConcurrency: unknown) => createApp({ ...auth, graphqlConcurrency });
  expect(() => synthesizeWith('')).toThrow(message);
  expect(() => synthesizeWith('unlimited')).not.toThrow();
  // Lambda verifies signatures (auth=iam) before it invokes the function. A web function uses no executions.
  for (const closed of [{ auth: 'iam' }, { ...auth, subscriptions: 'web-function' }])
    expect(() => createApp({ ...closed, graphqlConcurrency: '' })).not.toThrow();
});

test.each<[object, number, string]>([
  [{}, 50, "in a new account, set graphqlConcurrency to 'unlimited'"],
  [{ concurrency: 100 }, 1, 'an account with a quota of 100 (concurrency) can reserve no executions'],
  [{ concurrency: 1000 }, 901, 'graphqlConcurrency is 901; expected: at most 900'],
])('with %j, graphqlConcurrency cannot be %i', (context, graphqlConcurrency, message) => {
  const given = { ...context, graphqlConcurrency };
  for (const auth of [{}, tokens, { auth: 'none' }]) expect(() => createApp({ ...auth, ...given })).toThrow(message);
  // A web function uses no executions.
  expect(() => createApp({ ...given, subscriptions: 'web-function' })).not.toThrow();
});

test('graphqlConcurrency may leave exactly 100 executions', () => {
  expect(() => createApp({ concurrency: 1000, graphqlConcurrency: 900 })).not.toThrow();
});

test('graphqlConcurrency limits only GraphQL, with every kind of authentication', () => {
  const bounded = { ReservedConcurrentExecutions: Match.anyValue() };
  for (const context of [{}, tokens, { auth: 'none' }]) {
    const template = synthesize({ ...context, concurrency: 1000, graphqlConcurrency: 50 });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Handler: 'graphql.handler',
      ReservedConcurrentExecutions: 50,
    });
    template.resourcePropertiesCountIs('AWS::Lambda::Function', bounded, 1);
  }
});

test('the synthesis notes that anyone who can sign in to the console may write, until writeGroup is set', () => {
  const findInfos = (context: object) =>
    Annotations.fromStack(createApp({ ...context }).stack).findInfo('*', Match.stringLikeRegexp('writeGroup'));
  expect(findInfos({ ...tokens, console: 'on' })).toHaveLength(1);
  expect(findInfos({ ...tokens, console: 'on', writeGroup: 'editors' })).toEqual([]);
  expect(findInfos(tokens)).toEqual([]);
});
