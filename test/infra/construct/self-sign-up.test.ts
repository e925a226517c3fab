import { expect, test } from 'vitest';
import { evaluate, readPolicies, TABLE_ARN } from './policies.ts';
import { synthesize } from './synth.ts';

const FIELDS = { sub: { type: 'string', subject: true, self: 'hidden' } };
const OPEN = { auth: 'cognito', selfSignUp: 'http://localhost:3000/', fields: FIELDS };

const find = (template: ReturnType<typeof synthesize>, type: string) =>
  Object.entries(template.findResources(type)).map(([id, { Properties }]) => ({ id, ...Properties }));

test('with selfSignUp, people register themselves, and verify an address before it changes', () => {
  const [pool] = find(synthesize(OPEN), 'AWS::Cognito::UserPool');
  expect(pool).toMatchObject({
    AdminCreateUserConfig: { AllowAdminCreateUserOnly: false },
    AutoVerifiedAttributes: ['email'],
    // The pool cannot send text messages, and a phone number can be taken over.
    AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
    UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
    // The cheapest plan with customized access tokens.
    UserPoolTier: 'ESSENTIALS',
  });
});

test('the second client has no secret, and only the scopes openid and own records', () => {
  const template = synthesize({ ...OPEN, selfSignUp: 'https://app.example.com/,myapp://callback' });
  const clients = find(template, 'AWS::Cognito::UserPoolClient');
  expect(clients).toHaveLength(2);
  const people = clients.find(({ id }) => id.includes('people'));
  expect(people).toMatchObject({
    GenerateSecret: false,
    AllowedOAuthFlows: ['code'],
    CallbackURLs: ['https://app.example.com/', 'myapp://callback'],
    LogoutURLs: ['https://app.example.com/', 'myapp://callback'],
    ExplicitAuthFlows: ['ALLOW_USER_SRP_AUTH', 'ALLOW_REFRESH_TOKEN_AUTH'],
    PreventUserExistenceErrors: 'ENABLED',
  });
  expect(people.AllowedOAuthScopes).toEqual([
    'openid',
    { 'Fn::Join': ['', [{ Ref: expect.stringMatching('scopes') }, '/users:self']] },
  ]);
  const [authorizer] = find(template, 'AWS::ApiGatewayV2::Authorizer');
  expect(authorizer?.JwtConfiguration.Audience).toContainEqual({ Ref: people.id });
  const [other] = clients.filter(({ id }) => id !== people.id);
  expect(JSON.stringify(other?.AllowedOAuthScopes)).not.toContain('users:self');
  template.hasOutput('PeopleClientId', { Value: { Ref: people.id } });
});

test('the groups of operators exist, and both APIs require them', () => {
  const names = (context: object) => find(synthesize({ ...OPEN, ...context }), 'AWS::Cognito::UserPoolGroup');
  expect(names({}).map(({ GroupName }) => GroupName)).toEqual(['users-read', 'users-write']);
  // Groups that a failed deploy left would block the next one, because their names are fixed.
  synthesize(OPEN).allResources('AWS::Cognito::UserPoolGroup', { DeletionPolicy: 'RetainExceptOnCreate' });
  const given = names({ readGroup: 'staff', writeGroup: 'staff' });
  expect(given.map(({ GroupName }) => GroupName)).toEqual(['staff']);
  const variables = find(synthesize(OPEN), 'AWS::Lambda::Function').map(({ Environment }) => Environment?.Variables);
  expect(variables.filter((each) => each?.AUTH_READ_GROUP)).toEqual(variables.filter((each) => each?.AUTH_READ_SCOPE));
  expect(variables).toContainEqual(
    expect.objectContaining({ AUTH_READ_GROUP: 'users-read', AUTH_WRITE_GROUP: 'users-write' }),
  );
});

test('the pool refers to the token function by name, to avoid a circular reference', () => {
  const template = synthesize({ ...OPEN, emailClaim: 'mail' });
  const [pool] = find(template, 'AWS::Cognito::UserPool');
  const [token] = find(template, 'AWS::Lambda::Function').filter(
    ({ Handler }) => Handler === 'customize-token.handler',
  );
  const { LambdaArn, LambdaVersion } = pool?.LambdaConfig.PreTokenGenerationConfig ?? {};
  expect(LambdaVersion).toBe('V2_0');
  // The pool names the function, because a reference would be circular.
  expect(JSON.stringify(LambdaArn)).not.toContain(token?.id);
  const flatten = (value: unknown) => JSON.stringify(value).replaceAll(/[^\w:{}-]/g, '');
  expect(flatten(LambdaArn)).toContain(flatten(token?.FunctionName['Fn::Join'][1][0]));
  const people = find(template, 'AWS::Cognito::UserPoolClient').find(({ id }) => id.includes('people'));
  expect(token?.Environment.Variables).toEqual({
    PEOPLE_CLIENT_ID: { Ref: people?.id },
    AUTH_SELF_SCOPE: 'UserManagement/users:self',
    EMAIL_CLAIM: 'mail',
  });
  expect(token?.Timeout).toBe(5);
  expect(find(template, 'AWS::Lambda::Permission')).toContainEqual(
    expect.objectContaining({
      Principal: 'cognito-idp.amazonaws.com',
      FunctionName: { 'Fn::GetAtt': [token?.id, 'Arn'] },
      SourceArn: { 'Fn::GetAtt': [pool?.id, 'Arn'] },
    }),
  );
});

test('the function may only log', () => {
  const template = synthesize(OPEN);
  const [role] = Object.keys(template.findResources('AWS::IAM::Role')).filter((id) => id.includes('customizetoken'));
  const policies = find(template, 'AWS::IAM::Policy').filter(({ Roles }) => JSON.stringify(Roles).includes(`${role}"`));
  const actions = policies.flatMap(({ PolicyDocument }) =>
    PolicyDocument.Statement.flatMap(({ Action }: { Action: string | string[] }) => Action),
  );
  expect(actions.toSorted()).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents']);
});

test('with a field that blocks people, the function may also read people, but nothing else', async () => {
  const status = { type: 'string', enum: ['active', 'suspended'], blocks: ['suspended'], self: 'read' };
  const template = synthesize({ ...OPEN, fields: { ...FIELDS, status } });
  const [token] = find(template, 'AWS::Lambda::Function').filter(
    ({ Handler }) => Handler === 'customize-token.handler',
  );
  expect(token?.Environment.Variables).toMatchObject({ TABLE_NAME: expect.anything(), FIELDS_FILE: 'fields.json' });
  const policies = readPolicies(template);
  const allows = (action: string, pk: string) =>
    evaluate(policies, 'customize-token', `dynamodb:${action}`, TABLE_ARN, { 'dynamodb:LeadingKeys': [pk] });
  for (const pk of ['UNIQUE#sub:exact#auth0|ada', 'USER#01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23'])
    expect(await allows('GetItem', pk), pk).toBe('Allowed');
  for (const pk of ['UNIQUE#subscriber:exact#1', 'EMAIL#ada@example.org', 'SUBJECTS'])
    expect(await allows('GetItem', pk), pk).toBe('ImplicitlyDenied');
  for (const action of ['Query', 'PutItem', 'UpdateItem', 'BatchGetItem'])
    expect(await allows(action, 'USER#1'), action).toBe('ImplicitlyDenied');
});

test('without selfSignUp, the template does not change', () => {
  const context = { auth: 'cognito', readGroup: 'staff', writeGroup: 'editors', fields: FIELDS };
  expect(synthesize({ ...context, selfSignUp: [] }).toJSON()).toEqual(synthesize(context).toJSON());
  const template = JSON.stringify(synthesize(context).toJSON());
  expect(template).not.toMatch(/customize-?token|LambdaConfig|UserPoolGroup|UserAttributeUpdateSettings|PeopleClient/i);
});

test.each([
  ['an existing pool', { ...OPEN, userPoolId: 'eu-west-1_AbCdEfGhI', audience: 'x' }, 'requires a new user pool'],
  [
    'another issuer',
    { auth: 'jwt', issuer: 'https://id.example.org', audience: 'x', selfSignUp: 'http://localhost:3000/' },
    'requires a new',
  ],
  [
    'no declared subject',
    { auth: 'cognito', selfSignUp: 'http://localhost:3000/' },
    'requires a field that is declared with subject',
  ],
  ['http elsewhere', { ...OPEN, selfSignUp: 'http://app.example.com/' }, 'The setting selfSignUp is'],
  ['a fragment', { ...OPEN, selfSignUp: 'https://app.example.com/#a' }, 'The setting selfSignUp is'],
])('%s stops the synthesis', (_, context, message) => {
  expect(() => synthesize(context)).toThrow(message);
});

test.each([
  ['signed requests', {}],
  ['another issuer', { auth: 'jwt', issuer: 'https://id.example.org', audience: 'x' }],
  ['an existing pool without a new client', { auth: 'cognito', userPoolId: 'eu-west-1_AbCdEfGhI', audience: 'x' }],
])('callbackUrls with %s stops the synthesis, because no client would have them', (_, context) => {
  expect(() => synthesize({ ...context, callbackUrls: 'https://admin.example.com/' })).toThrow(
    'callbackUrls requires a new userPool, or userPoolClient',
  );
});
