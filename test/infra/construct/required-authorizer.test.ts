import { Template } from 'aws-cdk-lib/assertions';
import { HttpNoneAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import { describe, expect, test } from 'vitest';
import { operationNames } from '../../../lib/rest/operations.ts';
import { createService, synthesize } from './synth.ts';

const tokens = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users' };

function listRequired(template: Template): Record<string, string | undefined> {
  const functions = Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties }) => [
    String(Properties.Handler).replace('.handler', ''),
    Properties.Environment?.Variables.REQUIRED_AUTHORIZER,
  ]);
  const names: string[] = [...operationNames, 'graphql'];
  return Object.fromEntries(functions.filter(([name]) => names.includes(name)));
}

const forAll = (rest: string | undefined, graphql: string | undefined) => ({
  ...Object.fromEntries(operationNames.map((name) => [name, rest])),
  graphql,
});

describe('functions reject requests that the required authorizer has not verified', () => {
  test.each([
    ['iam', {}, forAll('iam', 'iam')],
    // GraphQL verifies tokens itself.
    ['jwt', tokens, forAll('jwt', undefined)],
    ['cognito', { auth: 'cognito' }, forAll('jwt', undefined)],
    ['none', { auth: 'none' }, forAll(undefined, undefined)],
  ])('with auth=%s', (_, context, required) => {
    expect(listRequired(synthesize(context))).toEqual(required);
  });

  test('custom authorizer for REST, signed requests for GraphQL', () => {
    const auth = { authorizer: new HttpNoneAuthorizer(), graphql: 'iam' } as const;
    expect(listRequired(Template.fromStack(createService({ auth }).stack))).toEqual(forAll(undefined, 'iam'));
  });

  test('sam local, which verifies nothing: no requirement', () => {
    const context = { databaseEndpoint: 'http://127.0.0.1:8000' };
    expect(listRequired(synthesize(context))).toEqual(forAll(undefined, undefined));
  });
});

test('open and signed endpoints never share a web function', () => {
  const listIds = (context: object) => {
    const template = synthesize({ ...context, subscriptions: 'web-function' });
    const types = ['AWS::Lambda::WebFunction', 'AWS::Lambda::WebFunctionEndpoint', 'AWS::Lambda::WebFunctionRevision'];
    return types.flatMap((type) => Object.keys(template.findResources(type)));
  };
  const [signed, withTokens, open] = [listIds({}), listIds(tokens), listIds({ auth: 'none' })];
  expect(signed).toHaveLength(3);
  expect(signed.filter((id) => withTokens.includes(id))).toEqual([]);
  expect(withTokens).toEqual(open);
});
