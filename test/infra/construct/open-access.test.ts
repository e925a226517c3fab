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

test.each([
  ['auth=none', { auth: 'none' }],
  ['auth=jwt', tokens],
])('with %s, the synthesis says that GraphQL has no concurrency limit until graphqlConcurrency is set', (_, auth) => {
  const findInfos = (context: object) =>
    Annotations.fromStack(createApp({ ...context }).stack).findInfo('*', Match.stringLikeRegexp('graphqlConcurrency'));
  expect(findInfos(auth)).toHaveLength(1);
  expect([...findInfos({ ...auth, graphqlConcurrency: 50 }), ...findInfos({})]).toEqual([]);
});

test('graphqlConcurrency bounds GraphQL with every kind of authentication, and no other function', () => {
  const bounded = { ReservedConcurrentExecutions: Match.anyValue() };
  for (const context of [{}, tokens, { auth: 'none' }]) {
    const template = synthesize({ ...context, graphqlConcurrency: 50 });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Handler: 'graphql.handler',
      ReservedConcurrentExecutions: 50,
    });
    template.resourcePropertiesCountIs('AWS::Lambda::Function', bounded, 1);
  }
});

test('with a console, the synthesis says that everybody who can sign in may write until writeGroup is set', () => {
  const findInfos = (context: object) =>
    Annotations.fromStack(createApp({ ...context }).stack).findInfo('*', Match.stringLikeRegexp('writeGroup'));
  expect(findInfos({ ...tokens, console: 'on' })).toHaveLength(1);
  expect(findInfos({ ...tokens, console: 'on', writeGroup: 'editors' })).toEqual([]);
  expect(findInfos(tokens)).toEqual([]);
});
