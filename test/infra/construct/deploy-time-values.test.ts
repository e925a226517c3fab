import { Fn, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { describe, expect, test } from 'vitest';
import type { UserManagementProps } from '../../../infra/construct/props.ts';
import { createService } from './synth.ts';

const synthesize = (props: UserManagementProps): Template => Template.fromStack(createService(props).stack);

describe('origins and redirect URLs', () => {
  /** Like the URL of a distribution in the same app. */
  const url = `https://${Fn.ref('Web')}`;
  const reference = { 'Fn::Join': ['', ['https://', { Ref: 'Web' }]] };

  test('may be known only at deployment', () => {
    const template = synthesize({ corsOrigins: [url, 'https://app.example.com'] });
    const origins = [reference, 'https://app.example.com'];
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: { AllowOrigins: origins } });
    template.hasResourceProperties('AWS::Lambda::Url', { Cors: { AllowOrigins: origins } });
  });

  test('of a new user pool may be known only at deployment', () => {
    const fields = { sub: { type: 'string', subject: true, self: 'hidden' } } as const;
    const template = synthesize({
      userPool: 'new',
      fields,
      callbackUrls: [url],
      selfSignUp: [url, 'http://localhost:3000/'],
    });
    for (const urls of [[reference], [reference, 'http://localhost:3000/']])
      template.hasResourceProperties('AWS::Cognito::UserPoolClient', { CallbackURLs: urls, LogoutURLs: urls });
  });

  test('that are known are validated', () => {
    expect(() => createService({ corsOrigins: [url, 'app.example.com'] })).toThrow(
      'corsOrigins is ["app.example.com"]; expected: ',
    );
  });

  test('may be a list of unknown length', () => {
    const corsOrigins = Fn.split(' ', Fn.ref('Origins'));
    const list = { 'Fn::Split': [' ', { Ref: 'Origins' }] };
    const template = synthesize({ auth: 'none', subscriptions: 'web-function', corsOrigins });
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: { AllowOrigins: list } });
    template.hasResourceProperties('AWS::Lambda::WebFunctionRevision', {
      ServiceConfig: { EnvironmentVariables: Match.objectLike({ CORS_ORIGINS: { 'Fn::Join': [',', list] } }) },
    });
  });
});

describe('the audience', () => {
  const value = { Ref: 'Audience' };
  const list = { 'Fn::Split': [' ', value] };

  test.each<[string, string | string[], { api: object; graphql: object; console: object }]>([
    ['one value', Fn.ref('Audience'), { api: [value], graphql: value, console: { 'Fn::Select': [0, [value]] } }],
    [
      'one of several values',
      ['users', Fn.ref('Audience')],
      {
        api: ['users', value],
        graphql: { 'Fn::Join': [',', ['users', value]] },
        console: { 'Fn::Select': [0, ['users', value]] },
      },
    ],
    [
      'a list of unknown length',
      Fn.split(' ', Fn.ref('Audience')),
      { api: list, graphql: { 'Fn::Join': [',', list] }, console: { 'Fn::Select': [0, list] } },
    ],
  ])('may be %s that is known only at deployment', (_, audience, expected) => {
    const template = synthesize({ auth: { issuer: 'https://issuer.example', audience }, console: true });
    const [authorizer] = Object.values(template.findResources('AWS::ApiGatewayV2::Authorizer'));
    const [graphql] = Object.values(
      template.findResources('AWS::Lambda::Function', { Properties: { Handler: 'graphql.handler' } }),
    );
    const [pages] = Object.values(
      template.findResources('Custom::CDKBucketDeployment', { Properties: { Prune: true } }),
    );
    // Values of console.json that are known only at deployment.
    const [console] = pages?.Properties.SourceMarkers.flatMap(Object.values) ?? [];
    expect({
      api: authorizer?.Properties.JwtConfiguration.Audience,
      graphql: graphql?.Properties.Environment.Variables.AUTH_AUDIENCE,
      console,
    }).toEqual(expected);
  });
});

test('the groups of operators may be known only at deployment', () => {
  const fields = { sub: { type: 'string', subject: true, self: 'hidden' } } as const;
  const groups = { readGroup: Fn.ref('Readers'), writeGroup: Fn.ref('Writers') };
  const template = synthesize({ userPool: 'new', selfSignUp: ['http://localhost:3000/'], fields, ...groups });
  const created = Object.values(template.findResources('AWS::Cognito::UserPoolGroup'));
  expect(created.map(({ Properties }) => Properties.GroupName)).toEqual([{ Ref: 'Readers' }, { Ref: 'Writers' }]);
});

test('the domain name may be known only at deployment, unlike descriptions of outputs', () => {
  const arn = 'arn:aws:acm:us-east-1:123456789012:certificate/1';
  const certificate = Certificate.fromCertificateArn(new Stack(), 'certificate', arn);
  const template = synthesize({ auth: 'none', domainName: `users.${Fn.ref('Zone')}`, certificate, outputs: true });
  const outputs = Object.values(template.findOutputs('*'));
  expect(outputs.length).toBeGreaterThan(3);
  expect(outputs.filter(({ Description }) => typeof Description !== 'string')).toEqual([]);
});
