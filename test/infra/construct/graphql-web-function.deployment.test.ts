import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { expect, test } from 'vitest';
import { readSettings } from '../../../infra/settings/settings.ts';
import { createService, synthesize } from './synth.ts';

const subscriptions = 'web-function';
const tokens = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users' };
const ENDPOINT = 'AWS::Lambda::WebFunctionEndpoint';
const REVISION = 'AWS::Lambda::WebFunctionRevision';

test('GraphQL is a web function in the place of the function with a Function URL', () => {
  const template = synthesize({ subscriptions });
  template.resourceCountIs('AWS::Lambda::Url', 0);
  expect(template.findResources('AWS::Lambda::Function', { Properties: { Handler: 'graphql.handler' } })).toEqual({});
  template.hasOutput('GraphqlUrl', {
    Value: {
      'Fn::Join': ['', ['https://', { 'Fn::GetAtt': [Match.stringLikeRegexp('Endpoint'), 'DomainName'] }, '/']],
    },
  });
});

test('a Function URL is the default, which has nothing of a web function', () => {
  const template = synthesize();
  template.resourceCountIs('AWS::Lambda::Url', 1);
  template.resourceCountIs('AWS::Lambda::WebFunction', 0);
  template.resourceCountIs('Custom::S3ObjectCopy', 0);
});

test.each([
  ['iam', {}, 'IamAuth'],
  ['jwt', tokens, 'ApplicationManaged'],
  ['cognito', { auth: 'cognito' }, 'ApplicationManaged'],
  ['none', { auth: 'none' }, 'ApplicationManaged'],
])('with auth=%s, the endpoint checks what the Function URL would', (_, context, AuthType) => {
  synthesize({ ...context, subscriptions }).hasResourceProperties(ENDPOINT, { AuthType, EndpointType: 'HomeRegion' });
});

test('the server verifies tokens, where the endpoint does not', () => {
  synthesize({ ...tokens, subscriptions }).hasResourceProperties(REVISION, {
    ServiceConfig: {
      EnvironmentVariables: Match.objectLike({ AUTH_ISSUER: tokens.issuer, AUTH_AUDIENCE: tokens.audience }),
    },
  });
});

test('an environment serves 128 requests for up to 15 minutes, and streams end before', () => {
  const template = synthesize({ subscriptions, corsOrigins: 'https://app.example.com' });
  template.hasResourceProperties(REVISION, {
    BuildConfig: { RuntimeConfig: { Runtime: 'nodejs24.x' } },
    ServiceConfig: {
      MaxConcurrencyPerEnvironment: 128,
      TimeoutSeconds: 900,
      EnvironmentVariables: Match.objectLike({
        AWS_LAMBDA_NODEJS_ENTRYPOINT: 'graphql-server.mjs',
        CORS_ORIGINS: 'https://app.example.com',
        STREAM_SECONDS: '870',
      }),
    },
  });
});

test.each([
  [6, 2],
  [300, 3],
])('graphqlConcurrency %i limits it to %i environments', (graphqlConcurrency, MaxEnvironments) => {
  synthesize({ subscriptions, graphqlConcurrency, maxStreams: 5 }).hasResourceProperties(ENDPOINT, {
    ScalingConfig: { MaxEnvironments },
  });
});

test('the server may do with the table what the function may, and write logs', () => {
  const findActions = (context: Record<string, unknown>, name: RegExp) => {
    const policies = Object.entries(synthesize(context).findResources('AWS::IAM::Policy'));
    const [, policy] = policies.find(([id]) => name.test(id)) ?? [];
    const statements: { Action: string | string[]; Resource: unknown }[] = policy?.Properties.PolicyDocument.Statement;
    return statements.flatMap(({ Action }) => Action).toSorted();
  };
  const actions = findActions({ subscriptions }, /^signedgraphqlservergraphqlserverrole/);
  expect(actions.filter((action) => action.startsWith('dynamodb:'))).toEqual(
    findActions({}, /^graphqlrole/).filter((action) => action.startsWith('dynamodb:')),
  );
  expect(actions.filter((action) => !/^(dynamodb|logs):/.test(action))).toEqual([]);
});

test('an alarm fires when it answers with 5xx, and failures in its log count as those of functions do', () => {
  const template = synthesize({ subscriptions });
  template.hasResourceProperties('AWS::CloudWatch::Alarm', {
    Namespace: 'AWS/Lambda/Web',
    MetricName: 'HTTPResponseStatusClass5XX',
    Dimensions: [
      { Name: 'EndpointName', Value: 'prod' },
      { Name: 'FunctionName', Value: Match.anyValue() },
    ],
  });
  const [filter] = Object.values(
    template.findResources('AWS::Logs::MetricFilter', {
      Properties: { MetricTransformations: [Match.objectLike({ MetricName: 'InternalErrors' })] },
    }),
  );
  const LogGroup = filter?.Properties.LogGroupName;
  template.hasResourceProperties(REVISION, { ServiceConfig: { TelemetryConfig: { LoggingConfig: { LogGroup } } } });
});

test('CloudFront forwards GraphQL to the web function', () => {
  synthesize({ auth: 'none', console: 'on', subscriptions }).hasResourceProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: Match.objectLike({
      Origins: Match.arrayWith([
        Match.objectLike({
          DomainName: { 'Fn::GetAtt': [Match.stringLikeRegexp('Endpoint'), 'DomainName'] },
          OriginCustomHeaders: [Match.objectLike({ HeaderName: 'x-proxy-key' })],
        }),
      ]),
    }),
  });
});

test('grantWrite allows a role to call the endpoint', () => {
  const { stack, service } = createService({ subscriptions });
  service.grantWrite(new Role(stack, 'caller', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') }));
  Template.fromStack(stack).hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: {
      Statement: Match.arrayWith([Match.objectLike({ Action: 'lambda:InvokeWebFunctionEndpoint', Effect: 'Allow' })]),
    },
    Roles: [{ Ref: Match.stringLikeRegexp('^caller') }],
  });
});

test('it cannot be used with a VPC yet, which an error says', () => {
  const vpc = new Vpc(new Stack(), 'vpc');
  expect(() => createService({ subscriptions, vpc: vpc as IVpc })).toThrow(
    'App/Users: subscriptions=web-function cannot be used with vpc yet.',
  );
});

test('the setting takes the two hosts only', () => {
  expect(() => readSettings({ subscriptions: 'websocket' })).toThrow('The setting subscriptions is "websocket"');
});
