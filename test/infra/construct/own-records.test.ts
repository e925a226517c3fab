import { expect, test } from 'vitest';
import { issuerKey, personKey } from '../../../lib/features/me/keys.ts';
import { evaluate, readPolicies, TABLE_ARN } from './policies.ts';
import { synthesize } from './synth.ts';

const FIELDS = {
  sub: { type: 'string', subject: true, self: 'hidden' },
  nickname: { type: 'string', self: 'write' },
};
const JWT = { auth: 'jwt', issuer: 'https://id.example.org', audience: 'users' };
const GROUPS = { readGroup: 'staff', writeGroup: 'editors' };
const PEOPLE = { ...JWT, ...GROUPS, fields: FIELDS };

const OF_OWN_RECORDS = /\/me(\/|$)/;

const withoutSubject = { ...FIELDS, sub: { type: 'string', unique: 'exact' }, nickname: { type: 'string' } };

test('own records have literal routes with only the scope users:self, and separate throttles', () => {
  const template = synthesize({ ...PEOPLE, selfRate: 7 });
  const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route'))
    .map(({ Properties }) => Properties)
    .filter(({ RouteKey }) => OF_OWN_RECORDS.test(RouteKey));
  expect(routes.map(({ RouteKey }) => RouteKey).toSorted()).toEqual(
    [
      '/api/users/me',
      '/v1/users/me',
      '/api/users/me/sign-in',
      '/v1/users/me/sign-in',
      '/api/users/me/data',
      '/v1/users/me/data',
    ]
      .flatMap((path) =>
        ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'].map((method) => `${method} ${path}`),
      )
      .toSorted(),
  );
  for (const { AuthorizationType, AuthorizationScopes } of routes)
    expect([AuthorizationType, AuthorizationScopes]).toEqual(['JWT', ['users:self']]);
  const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
  const limit = { ThrottlingRateLimit: 7, ThrottlingBurstLimit: 7 };
  expect(stage?.Properties.RouteSettings).toEqual(Object.fromEntries(routes.map(({ RouteKey }) => [RouteKey, limit])));
  // The stage's settings name routes, which CloudFormation must create first.
  const ids = Object.entries(template.findResources('AWS::ApiGatewayV2::Route'))
    .filter(([, { Properties }]) => OF_OWN_RECORDS.test(Properties.RouteKey))
    .map(([id]) => id);
  expect(stage?.DependsOn).toEqual(expect.arrayContaining(ids));
});

test('bursts stay within the quota of API Gateway', () => {
  const limits = { throttleRate: 10_000, selfRate: 10_000 };
  const [stage] = Object.values(synthesize({ ...PEOPLE, ...limits }).findResources('AWS::ApiGatewayV2::Stage'));
  const { DefaultRouteSettings, RouteSettings } = stage?.Properties ?? {};
  for (const route of [DefaultRouteSettings, ...Object.values(RouteSettings)])
    expect(route).toMatchObject({ ThrottlingRateLimit: 10_000, ThrottlingBurstLimit: 5_000 });
});

test('functions get the settings of own records', () => {
  const template = synthesize({
    ...PEOPLE,
    subjectClaim: 'oid',
    emailClaim: 'mail',
    selfDelete: 'erase',
    selfLink: 'verified-email',
    emailFollows: 'on',
    selfScope: 'me',
  });
  const functions = Object.values(template.findResources('AWS::Lambda::Function'));
  const variables = Object.fromEntries(
    functions.map(({ Properties }) => [Properties.Handler, Properties.Environment?.Variables]),
  );
  const expected = {
    ...{ AUTH_SELF_SCOPE: 'me', SUBJECT_CLAIM: 'oid', EMAIL_CLAIM: 'mail', SELF_DELETE: 'erase' },
    ...{ SELF_LINK: 'verified-email', EMAIL_FOLLOWS: 'on' },
  };
  for (const name of ['get-me', 'create-me', 'update-me', 'delete-me', 'sign-in', 'get-my-data'])
    expect(variables[`${name}.handler`], name).toMatchObject({ ...expected, REQUIRED_AUTHORIZER: 'jwt' });
  expect(variables['graphql.handler']).toMatchObject(expected);
});

test('get-me may put the issuer, but no other item', async () => {
  const policies = readPolicies(synthesize(PEOPLE));
  const put = (pk: string) =>
    evaluate(policies, 'get-me', 'dynamodb:PutItem', TABLE_ARN, { 'dynamodb:LeadingKeys': [pk] });
  expect(await put(issuerKey.pk)).toBe('Allowed');
  expect(await put('USER#01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23')).toBe('ImplicitlyDenied');
});

test('get-my-data may update the counts of people, but no other item', async () => {
  const policies = readPolicies(synthesize(PEOPLE));
  const update = (pk: string) =>
    evaluate(policies, 'get-my-data', 'dynamodb:UpdateItem', TABLE_ARN, { 'dynamodb:LeadingKeys': [pk] });
  expect(await update(personKey('ada').pk)).toBe('Allowed');
  expect(await update('USER#01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23')).toBe('ImplicitlyDenied');
});

test.each([
  ['auth=jwt', { ...JWT, ...GROUPS, fields: withoutSubject }],
  ['auth=cognito', { auth: 'cognito' }],
  ['the defaults', {}],
])('without a subject, a stack with %s has nothing of own records', (_, context) => {
  const template = JSON.stringify(synthesize(context).toJSON());
  expect(
    template.match(
      /users:self|(\w+-me|sign-in|get-my-data)\.handler|\/me\b|"RouteSettings|"SELF_\w+|SUBJECT_\w+|EMAIL_FOLLOWS/,
    ),
  ).toBeNull();
});

test('a new user pool has the scope of own records, which its public client does not request', () => {
  const template = synthesize({ auth: 'cognito', ...GROUPS, fields: FIELDS });
  const [server] = Object.values(template.findResources('AWS::Cognito::UserPoolResourceServer'));
  const scopes = server?.Properties.Scopes.map(({ ScopeName }: { ScopeName: string }) => ScopeName);
  expect(scopes).toEqual(['users:read', 'users:write', 'users:history', 'users:erase', 'users:self']);
  const [client] = Object.values(template.findResources('AWS::Cognito::UserPoolClient'));
  expect(JSON.stringify(client?.Properties.AllowedOAuthScopes)).not.toContain('users:self');
});

test.each([
  ['signed requests', { fields: FIELDS }, 'requires auth=jwt or auth=cognito'],
  ['no authentication', { auth: 'none', fields: FIELDS }, 'requires auth=jwt or auth=cognito'],
  ['no groups', { ...JWT, fields: FIELDS }, 'requires readGroup and writeGroup'],
  ['one group', { ...JWT, writeGroup: 'editors', fields: FIELDS }, 'requires readGroup and writeGroup'],
  ['settings without a subject', { ...JWT, selfDelete: 'erase' }, 'selfDelete requires a field'],
])('a subject with %s stops the synthesis', (_, context, message) => {
  expect(() => synthesize(context)).toThrow(message);
});

test('a list of subjects adds the route of logins, and only functions that verify tokens know issuer and audience', () => {
  const fields = { ...FIELDS, sub: { ...FIELDS.sub, list: true } };
  const template = synthesize({ ...PEOPLE, fields });
  const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route'))
    .map(({ Properties }) => Properties)
    .filter(({ RouteKey }) => RouteKey.endsWith('/me/logins'));
  // The function answers other methods with 405.
  expect(routes).toHaveLength(14);
  expect(routes.map(({ RouteKey }) => RouteKey)).toEqual(
    expect.arrayContaining(['POST /api/users/me/logins', 'POST /v1/users/me/logins']),
  );
  for (const { AuthorizationType, AuthorizationScopes } of routes)
    expect([AuthorizationType, AuthorizationScopes]).toEqual(['JWT', ['users:self']]);
  const variables = { AUTH_ISSUER: 'https://id.example.org', AUTH_AUDIENCE: 'users' };
  const functions = Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties }) => Properties);
  const verifying = functions.filter(({ Environment }) => Environment?.Variables.AUTH_ISSUER !== undefined);
  expect(verifying.map(({ Handler }) => Handler).toSorted()).toEqual(
    ['add-login', 'create-me', 'graphql', 'sign-in', 'update-me'].map((name) => `${name}.handler`),
  );
  for (const { Environment } of verifying) expect(Environment.Variables).toMatchObject(variables);
});

test('functions of own records verify tokens of the clients of a pool', () => {
  const template = synthesize({ auth: 'cognito', ...GROUPS, fields: FIELDS });
  const functions = Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties }) => Properties);
  const variables = functions.find(({ Handler }) => Handler === 'create-me.handler')?.Environment.Variables;
  expect(JSON.stringify(variables.AUTH_ISSUER)).toContain('ProviderName');
  expect(variables.AUTH_AUDIENCE).toEqual({ 'Fn::Join': [',', [{ Ref: expect.stringMatching(/client/) }]] });
});
