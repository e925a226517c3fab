import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { operationNames, operations } from '../../../lib/rest/operations.ts';
import { responseFormats } from '../../../lib/rest/responses.ts';
import { synthesize } from './synth.ts';

function listRoutes(context?: Record<string, unknown>): string[] {
  const template = synthesize(context);
  const integrations = template.findResources('AWS::ApiGatewayV2::Integration');
  const aliases = template.findResources('AWS::Lambda::Alias');
  const functions = template.findResources('AWS::Lambda::Function');
  const logicalId = (reference: unknown) =>
    /"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/.exec(JSON.stringify(reference))?.[1] ?? '';
  return Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(({ Properties }) => {
    const integration =
      integrations[
        JSON.stringify(Properties.Target)
          .match(/apihttp\w+/g)
          ?.at(-1) ?? ''
      ];
    const alias = aliases[logicalId(integration?.Properties.IntegrationUri)];
    const handler = functions[logicalId(alias?.Properties.FunctionName)]?.Properties.Handler;
    const authorization = [Properties.AuthorizationType, ...(Properties.AuthorizationScopes ?? [])].join(' ');
    return `${Properties.RouteKey} [${authorization}] -> ${handler}`;
  });
}

test('by default every operation has a route per response format, for signed requests only', () => {
  expect(listRoutes()).toMatchInlineSnapshot(`
    [
      "GET /api/users [AWS_IAM] -> list-users.handler",
      "HEAD /api/users [AWS_IAM] -> list-users.handler",
      "PATCH /api/users [AWS_IAM] -> list-users.handler",
      "DELETE /api/users [AWS_IAM] -> list-users.handler",
      "OPTIONS /api/users [AWS_IAM] -> list-users.handler",
      "GET /v1/users [AWS_IAM] -> list-users.handler",
      "HEAD /v1/users [AWS_IAM] -> list-users.handler",
      "PATCH /v1/users [AWS_IAM] -> list-users.handler",
      "DELETE /v1/users [AWS_IAM] -> list-users.handler",
      "OPTIONS /v1/users [AWS_IAM] -> list-users.handler",
      "GET /api/users/{id} [AWS_IAM] -> get-user.handler",
      "HEAD /api/users/{id} [AWS_IAM] -> get-user.handler",
      "POST /api/users/{id} [AWS_IAM] -> get-user.handler",
      "OPTIONS /api/users/{id} [AWS_IAM] -> get-user.handler",
      "GET /v1/users/{id} [AWS_IAM] -> get-user.handler",
      "HEAD /v1/users/{id} [AWS_IAM] -> get-user.handler",
      "POST /v1/users/{id} [AWS_IAM] -> get-user.handler",
      "OPTIONS /v1/users/{id} [AWS_IAM] -> get-user.handler",
      "POST /api/users [AWS_IAM] -> create-user.handler",
      "POST /v1/users [AWS_IAM] -> create-user.handler",
      "PUT /api/users/{id} [AWS_IAM] -> replace-user.handler",
      "PUT /v1/users/{id} [AWS_IAM] -> replace-user.handler",
      "PUT /api/users [AWS_IAM] -> replace-user.handler",
      "PUT /v1/users [AWS_IAM] -> replace-user.handler",
      "PATCH /api/users/{id} [AWS_IAM] -> update-user.handler",
      "PATCH /v1/users/{id} [AWS_IAM] -> update-user.handler",
      "DELETE /api/users/{id} [AWS_IAM] -> delete-user.handler",
      "DELETE /v1/users/{id} [AWS_IAM] -> delete-user.handler",
    ]
  `);
});

test('with auth=jwt every route requires a token of the issuer with the scope of its operation', () => {
  const context = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users' };
  expect(listRoutes(context)).toMatchInlineSnapshot(`
    [
      "GET /api/users [JWT users:read] -> list-users.handler",
      "HEAD /api/users [JWT users:read] -> list-users.handler",
      "PATCH /api/users [JWT users:read] -> list-users.handler",
      "DELETE /api/users [JWT users:read] -> list-users.handler",
      "OPTIONS /api/users [JWT users:read] -> list-users.handler",
      "GET /v1/users [JWT users:read] -> list-users.handler",
      "HEAD /v1/users [JWT users:read] -> list-users.handler",
      "PATCH /v1/users [JWT users:read] -> list-users.handler",
      "DELETE /v1/users [JWT users:read] -> list-users.handler",
      "OPTIONS /v1/users [JWT users:read] -> list-users.handler",
      "GET /api/users/{id} [JWT users:read] -> get-user.handler",
      "HEAD /api/users/{id} [JWT users:read] -> get-user.handler",
      "POST /api/users/{id} [JWT users:read] -> get-user.handler",
      "OPTIONS /api/users/{id} [JWT users:read] -> get-user.handler",
      "GET /v1/users/{id} [JWT users:read] -> get-user.handler",
      "HEAD /v1/users/{id} [JWT users:read] -> get-user.handler",
      "POST /v1/users/{id} [JWT users:read] -> get-user.handler",
      "OPTIONS /v1/users/{id} [JWT users:read] -> get-user.handler",
      "POST /api/users [JWT users:write] -> create-user.handler",
      "POST /v1/users [JWT users:write] -> create-user.handler",
      "PUT /api/users/{id} [JWT users:write] -> replace-user.handler",
      "PUT /v1/users/{id} [JWT users:write] -> replace-user.handler",
      "PUT /api/users [JWT users:write] -> replace-user.handler",
      "PUT /v1/users [JWT users:write] -> replace-user.handler",
      "PATCH /api/users/{id} [JWT users:write] -> update-user.handler",
      "PATCH /v1/users/{id} [JWT users:write] -> update-user.handler",
      "DELETE /api/users/{id} [JWT users:write] -> delete-user.handler",
      "DELETE /v1/users/{id} [JWT users:write] -> delete-user.handler",
    ]
  `);
  synthesize(context).hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
    AuthorizerType: 'JWT',
    IdentitySource: ['$request.header.Authorization'],
    JwtConfiguration: { Issuer: 'https://issuer.example', Audience: ['users'] },
  });
});

test('with auth=none every route is open', () => {
  expect(listRoutes({ auth: 'none' }).every((route) => route.includes('[NONE]'))).toBe(true);
});

test('with corsOrigins there is no OPTIONS route, so API Gateway answers preflights without credentials', () => {
  const isOptions = (route: string) => route.startsWith('OPTIONS ');
  expect(listRoutes({ corsOrigins: 'https://app.example.com' }).filter(isOptions)).toEqual([]);
  const paths = new Set(operationNames.map((name) => operations[name].path));
  expect(listRoutes().filter(isOptions)).toHaveLength(paths.size * responseFormats.length);
});

test('with corsOrigins, browsers may use every method, and remember that for two hours', () => {
  synthesize({ corsOrigins: 'https://app.example.com' }).hasResourceProperties('AWS::ApiGatewayV2::Api', {
    CorsConfiguration: {
      AllowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      AllowHeaders: Match.arrayWith(['authorization', 'content-type', 'if-match']),
      MaxAge: 7_200,
    },
  });
});

test('each function has one permission for API Gateway, regardless of its number of routes', () => {
  const template = synthesize();
  const permissions = Object.values(template.findResources('AWS::Lambda::Permission')).map(
    ({ Properties }) => Properties,
  );
  const fromGateway = permissions.filter(({ Principal }) => Principal === 'apigateway.amazonaws.com');
  const invoked = Object.values(template.findResources('AWS::ApiGatewayV2::Integration')).map(
    ({ Properties }) => Properties.IntegrationUri,
  );
  expect(new Set(fromGateway.map(({ FunctionName }) => FunctionName))).toEqual(new Set(invoked));
  expect(fromGateway).toHaveLength(operationNames.length);
  for (const { SourceArn } of fromGateway)
    expect(SourceArn['Fn::Join'][1].slice(-2)).toEqual([{ Ref: 'apihttp9A9B5289' }, '/*/*/*']);
});
