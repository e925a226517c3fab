import { expect, test } from 'vitest';
import { synthesize } from './synth.ts';

const FIELDS = {
  sub: { type: 'string', subject: true, self: 'hidden', groupAdmin: 'hidden' },
  title: { type: 'string', self: 'read', groupAdmin: 'write' },
};
const JWT = { auth: 'jwt', issuer: 'https://id.example.org', audience: 'users' };
const REQUIRED = { readGroup: 'staff', writeGroup: 'editors' };
const PEOPLE = { ...JWT, ...REQUIRED, groups: 'on', fields: FIELDS };
const ADMINISTRATORS = { ...PEOPLE, groupClaim: 'org_id' };

const readVariables = (template: ReturnType<typeof synthesize>) =>
  Object.values(template.findResources('AWS::Lambda::Function')).map(
    ({ Properties }): Record<string, unknown> => Properties.Environment?.Variables ?? {},
  );

test('GraphQL gets the claim, the scope and the roles, and no other function gets the claim', () => {
  const given = {
    ...ADMINISTRATORS,
    groupScope: 'admin',
    groupRoles: 'member,owner,admin',
    groupAdminRoles: 'owner,admin',
  };
  const variables = readVariables(synthesize(given)).filter(({ GROUP_CLAIM }) => GROUP_CLAIM);
  expect(variables).toMatchObject([
    { GROUP_CLAIM: 'org_id', GROUP_SCOPE: 'admin', GROUP_ADMIN_ROLES: 'owner,admin', AUTH_ISSUER: JWT.issuer },
  ]);
});

test('without the claim, the template names no administrators', () => {
  const template = JSON.stringify(synthesize(PEOPLE).toJSON());
  expect(template).not.toMatch(/GROUP_CLAIM|GROUP_SCOPE|GROUP_ADMIN_ROLES|users:group/);
  const pool = { ...REQUIRED, auth: 'cognito', callbackUrls: 'https://a.example.com/', groups: 'on', fields: FIELDS };
  expect(JSON.stringify(synthesize(pool).toJSON())).not.toMatch(/users:group|org_id/);
});

test('a pool of the stack has the scope and the attribute of the claim, and adds both to tokens', () => {
  const pool = { ...REQUIRED, auth: 'cognito', callbackUrls: 'https://a.example.com/', groups: 'on', fields: FIELDS };
  const template = synthesize({ ...pool, groupClaim: 'org_id', selfSignUp: 'https://app.example.com/' });
  const [server] = Object.values(template.findResources('AWS::Cognito::UserPoolResourceServer'));
  expect(server?.Properties.Scopes).toContainEqual({ ScopeName: 'users:group', ScopeDescription: expect.any(String) });
  const [userPool] = Object.values(template.findResources('AWS::Cognito::UserPool'));
  expect(userPool?.Properties.Schema).toContainEqual({ Name: 'org_id', AttributeDataType: 'String', Mutable: true });
  const clients = Object.values(template.findResources('AWS::Cognito::UserPoolClient'));
  const scopes = clients.map(({ Properties }) => JSON.stringify(Properties.AllowedOAuthScopes));
  expect(scopes.filter((each) => each.includes('users:group'))).toEqual([expect.stringContaining('users:self')]);
  expect(readVariables(template).filter((each) => each.PEOPLE_CLIENT_ID)).toMatchObject([
    { GROUP_CLAIM: 'org_id', GROUP_SCOPE: expect.stringMatching(/\/users:group$/) },
  ]);
});

test.each([
  ['the claim without groups', { ...ADMINISTRATORS, groups: 'off' }, 'The setting groupClaim requires groups=on'],
  [
    'roles without the claim',
    { ...PEOPLE, groupAdminRoles: 'member' },
    'The setting groupAdminRoles requires groupClaim',
  ],
  [
    'an unknown role',
    { ...ADMINISTRATORS, groupAdminRoles: 'owner,admin' },
    'The setting groupAdminRoles has owner, but groupRoles is member, admin',
  ],
  [
    'the claim without a subject',
    { groups: 'on', groupClaim: 'org_id' },
    'The setting groupClaim requires a field that is declared with subject',
  ],
  [
    'a field without groupAdmin',
    { ...ADMINISTRATORS, fields: { ...FIELDS, title: { type: 'string', self: 'read' } } },
    'The field title needs groupAdmin (hidden, read or write): what administrators of a group may do with it',
  ],
  [
    'a required field that administrators cannot set',
    {
      ...ADMINISTRATORS,
      fields: { ...FIELDS, title: { type: 'string', required: true, self: 'write', groupAdmin: 'read' } },
    },
    'The field title needs groupAdmin write: it is required and has no default, so administrators must set it',
  ],
  [
    'a subject that administrators set',
    { ...ADMINISTRATORS, fields: { sub: { ...FIELDS.sub, groupAdmin: 'write' } } },
    'The field sub with subject cannot have groupAdmin write: the token sets its value.',
  ],
  [
    'a sign-in that administrators set',
    {
      ...ADMINISTRATORS,
      fields: { ...FIELDS, seen: { type: 'dateTime', signIn: true, self: 'read', groupAdmin: 'write' } },
    },
    'The field seen with signIn cannot have groupAdmin write: sign-ins set its value.',
  ],
  [
    'a block that administrators set',
    {
      ...ADMINISTRATORS,
      fields: {
        ...FIELDS,
        status: { type: 'string', enum: ['ok', 'off'], blocks: ['off'], self: 'hidden', groupAdmin: 'write' },
      },
    },
    'The field status cannot have blocks and groupAdmin write: a block also applies in other groups.',
  ],
])('%s stops the synthesis', (_, context, message) => {
  expect(() => synthesize(context)).toThrow(message);
});
