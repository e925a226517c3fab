import { Match } from 'aws-cdk-lib/assertions';
import { describe, test } from 'vitest';
import { synthesize } from './synth.ts';

const tokens = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users' };

describe('the Function URL', () => {
  const url = (context?: object) => ({ template: synthesize({ ...context }), type: 'AWS::Lambda::Url' });

  test('streams to signed requests only', () => {
    synthesize().hasResourceProperties('AWS::Lambda::Url', { AuthType: 'AWS_IAM', InvokeMode: 'RESPONSE_STREAM' });
    synthesize().resourcePropertiesCountIs('AWS::Lambda::Permission', { Principal: '*' }, 0);
  });

  test('is open with auth=jwt, as the function verifies the token', () => {
    const { template, type } = url(tokens);
    template.hasResourceProperties(type, { AuthType: 'NONE' });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Handler: 'graphql.handler',
      Environment: { Variables: Match.objectLike({ AUTH_ISSUER: tokens.issuer, AUTH_AUDIENCE: tokens.audience }) },
    });
  });

  test('allows corsOrigins like the HTTP API, without credentials', () => {
    const { template, type } = url({ corsOrigins: 'https://app.example.com' });
    const origins = { AllowOrigins: ['https://app.example.com'], AllowCredentials: Match.absent() };
    const methods = { AllowMethods: ['GET', 'POST'], MaxAge: 7_200 };
    template.hasResourceProperties(type, { Cors: { ...origins, ...methods } });
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: origins });
    const exposed = {
      ExposeHeaders: Match.arrayWith(['date', 'stream-cursor', 'x-amzn-requestid']),
    };
    template.hasResourceProperties(type, { Cors: exposed });
    const exposedByRest = { ExposeHeaders: Match.arrayWith(['apigw-requestid', 'date', 'retry-after']) };
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: exposedByRest });
    synthesize().hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: Match.absent() });
  });
});
