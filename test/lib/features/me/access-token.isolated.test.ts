import { readFileSync } from 'node:fs';
import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { handler } from '../../../../functions/customize-token.ts';
import { findCodeBlocks } from '../../../setup/markdown.ts';

const SCOPE = 'UserManagement/users:self';
const PEOPLE = '4people3client2id1example';

beforeEach(() => {
  vi.unstubAllEnvs();
  vi.stubEnv('PEOPLE_CLIENT_ID', PEOPLE);
  vi.stubEnv('AUTH_SELF_SCOPE', SCOPE);
});

type Event = PreTokenGenerationV2TriggerEvent;

/** Creates an event like in Cognito's developer guide (version 2). */
function createEvent(
  triggerSource: string,
  userAttributes: Record<string, string>,
  { clientId = PEOPLE, scopes = ['aws.cognito.signin.user.admin'], groups = [] as string[] } = {},
): Event {
  return {
    version: '2',
    triggerSource,
    region: 'eu-west-1',
    userPoolId: 'eu-west-1_AbCdEfGhI',
    userName: userAttributes.sub ?? '',
    callerContext: { awsSdkVersion: 'aws-sdk-unknown-unknown', clientId },
    request: {
      userAttributes,
      groupConfiguration: { groupsToOverride: groups, iamRolesToOverride: [], preferredRole: undefined },
      scopes,
    },
    response: { claimsAndScopeOverrideDetails: null },
  } as unknown as Event; // Cognito sends null, which its type does not allow.
}

const SUB = '11111111-2222-3333-4444-555555555555';
const ada = {
  sub: SUB,
  'cognito:email_alias': 'ada@example.org',
  'cognito:user_status': 'CONFIRMED',
  email_verified: 'true',
  email: 'ada@example.org',
};
const claims = (email_verified: string) => ({ email: 'ada@example.org', email_verified });

const cases: [name: string, event: Event, claims: object, scopes: string[]][] = [
  [
    'a person who signs in with a password, by an SDK',
    createEvent('TokenGeneration_Authentication', ada),
    claims('true'),
    [SCOPE],
  ],
  [
    'a person who signs in on the pages of Cognito',
    createEvent('TokenGeneration_HostedAuth', ada, { scopes: ['openid', SCOPE] }),
    claims('true'),
    [SCOPE],
  ],
  ['a person whose token is renewed', createEvent('TokenGeneration_RefreshTokens', ada), claims('true'), [SCOPE]],
  [
    'a person whom an administrator has created, and whose address nobody has verified',
    createEvent('TokenGeneration_NewPasswordChallenge', {
      sub: SUB,
      'cognito:user_status': 'FORCE_CHANGE_PASSWORD',
      email: 'ada@example.org',
    }),
    claims('false'),
    [SCOPE],
  ],
  [
    'a federated person, whose provider has not verified the address',
    createEvent(
      'TokenGeneration_HostedAuth',
      {
        sub: SUB,
        identities: '[{"userId":"1","providerName":"Google","providerType":"Google","issuer":null,"primary":"true"}]',
        'cognito:user_status': 'EXTERNAL_PROVIDER',
        email_verified: 'false',
        email: 'ada@example.org',
      },
      { scopes: ['openid', SCOPE], groups: ['eu-west-1_AbCdEfGhI_Google'] },
    ),
    claims('false'),
    [SCOPE],
  ],
  [
    'a federated person without an address',
    createEvent('TokenGeneration_HostedAuth', { sub: SUB, 'cognito:user_status': 'EXTERNAL_PROVIDER' }),
    {},
    [SCOPE],
  ],
  [
    'an operator, who signs in with another client',
    createEvent('TokenGeneration_HostedAuth', ada, {
      clientId: '4console3client2id1example',
      scopes: ['openid', 'UserManagement/users:read'],
      groups: ['users-read', 'users-write'],
    }),
    claims('true'),
    [],
  ],
];

async function customize(event: Event) {
  const { response, ...others } = await handler(event);
  return { details: response.claimsAndScopeOverrideDetails, others };
}

test.each(cases)('the access token of %s', async (_, event, expected, scopes) => {
  const before = structuredClone(event);
  const { details, others } = await customize(event);
  expect(details.accessTokenGeneration?.claimsToAddOrOverride).toEqual(expected);
  expect(details.accessTokenGeneration?.scopesToAdd ?? []).toEqual(scopes);
  expect(details.groupOverrideDetails).toEqual(event.request.groupConfiguration);
  // The response changes only the access token, not the id token.
  expect(Object.keys(details)).toEqual(['accessTokenGeneration', 'groupOverrideDetails']);
  const { response: _response, ...sent } = before;
  expect(others).toEqual(sent);
  expect(event).toEqual(before);
});

test('the claims have the names that the service reads', async () => {
  vi.stubEnv('EMAIL_CLAIM', 'address');
  vi.stubEnv('EMAIL_VERIFIED_CLAIM', 'address_verified');
  const { details } = await customize(createEvent('TokenGeneration_Authentication', ada));
  expect(details.accessTokenGeneration?.claimsToAddOrOverride).toEqual({
    address: 'ada@example.org',
    address_verified: 'true',
  });
});

test.each([
  ['of a client, which has no attributes', { request: { scopes: [], groupConfiguration: {} } }],
  ['of another version', { request: null }],
  ['without a client', { callerContext: undefined }],
])('an event %s is returned unchanged and logged', async (_, changes) => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  const event = { ...createEvent('TokenGeneration_ClientCredentials', ada), ...changes } as unknown as Event; // Such events do not match the type.
  expect(await handler(event)).toBe(event);
  expect(log).toHaveBeenCalledWith(expect.objectContaining({ event: 'token not customized' }));
});

describe('the function to paste for an existing pool', () => {
  const [code = ''] = findCodeBlocks(readFileSync('lib/features/me/providers.md', 'utf8'), 'js').filter((block) =>
    block.includes('accessTokenGeneration'),
  );

  test.each(cases)('does the same for %s', async (_, event) => {
    const filled = code.replace('CLIENT_FOR_PEOPLE', PEOPLE).replace('UserManagement/users:self', SCOPE);
    const pasted = await import(`data:text/javascript,${encodeURIComponent(filled)}`);
    expect(await pasted.handler(structuredClone(event))).toEqual(await handler(event));
  });
});

test('with administrators of groups, tokens get the claim of the group from the custom attribute, and the scope', async () => {
  vi.stubEnv('GROUP_CLAIM', 'org_id');
  vi.stubEnv('GROUP_SCOPE', 'UserManagement/users:group');
  const customize = async (attributes: Record<string, string>, clientId = PEOPLE) =>
    (await handler(createEvent('TokenGeneration_Authentication', { ...ada, ...attributes }, { clientId }))).response
      .claimsAndScopeOverrideDetails?.accessTokenGeneration;
  expect(await customize({ 'custom:org_id': 'org_17' })).toEqual({
    claimsToAddOrOverride: { ...claims('true'), org_id: 'org_17' },
    scopesToAdd: [SCOPE, 'UserManagement/users:group'],
  });
  expect((await customize({ org_id: 'org_17' }))?.claimsToAddOrOverride).toEqual(claims('true'));
  expect((await customize({ 'custom:org_id': 'org_17' }, 'other'))?.scopesToAdd).toBeUndefined();
});
