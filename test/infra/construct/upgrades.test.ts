import { readFileSync } from 'node:fs';
import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { createService, synthesize } from './synth.ts';

/** Resources with data, waiting messages, or an address known outside of the stack. */
const LASTING = [
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Stage',
  'AWS::Backup::BackupVault',
  'AWS::CloudFront::Distribution',
  'AWS::Cognito::UserPool',
  'AWS::Cognito::UserPoolClient',
  'AWS::Cognito::UserPoolDomain',
  'AWS::Cognito::UserPoolGroup',
  'AWS::DynamoDB::GlobalTable',
  'AWS::Events::EventBus',
  'AWS::KMS::Key',
  'AWS::Lambda::Alias',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Url',
  'AWS::Lambda::WebFunctionEndpoint',
  'AWS::Logs::LogGroup',
  'AWS::SecretsManager::Secret',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
];

const WORDS: Partial<Record<ResourceImpact, string>> = {
  [ResourceImpact.WILL_REPLACE]: 'replaced',
  [ResourceImpact.MAY_REPLACE]: 'may be replaced',
  [ResourceImpact.WILL_DESTROY]: 'deleted',
  [ResourceImpact.WILL_ORPHAN]: 'kept, outside of the stack',
};

function listLosses(before: Template, after: Template): string[] {
  const losses: string[] = [];
  fullDiff(before.toJSON(), after.toJSON()).resources.forEachDifference((id, { changeImpact, resourceType = '' }) => {
    const word = WORDS[changeImpact];
    if (word && LASTING.includes(resourceType)) losses.push(`${id.replace(/[0-9A-F]{8}$/, '')}: ${word}`);
  });
  return losses.toSorted();
}

const jwt = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users' };
const subject = { sub: { type: 'string', subject: true, self: 'hidden' } };
const cognito = { auth: 'cognito', fields: subject, readGroup: 'users-read', writeGroup: 'users-write' };
const field = { fields: { seat: { type: 'string', unique: true } } };
const exactField = { fields: { seat: { type: 'string', unique: 'exact' } } };
const restoredStream = 'arn:aws:dynamodb:eu-west-1:123456789012:table/users-restored/stream/2026-11-21T00:00:00.000';
const web = { subscriptions: 'web-function' };
const certificateArn = 'arn:aws:acm:us-east-1:222222222222:certificate/1';
const domain = { ...jwt, domainName: 'users.example.com', certificateArn };

type Walk = [row: string, before: Record<string, unknown>, after: Record<string, unknown>, losses: string[]];

/** Rows of infra/upgrades.md, with settings before and after. */
const walks: Walk[] = [
  ['a unique own field added', {}, field, []],
  ['a unique own field removed', field, {}, []],
  ['`unique` of an own field from `true` to `"exact"`, or back', field, exactField, []],
  ['`events` on', {}, { events: 'on' }, []],
  [
    '`events` off',
    { events: 'on' },
    {},
    [
      'eventsbus: deleted',
      'eventsdeadletters: deleted',
      'eventspublishevents: deleted',
      'eventspublisheventsstream: deleted',
    ],
  ],
  [
    '`webhookUrl` set or changed',
    { events: 'on', webhookUrl: 'https://a.example' },
    { events: 'on', webhookUrl: 'https://b.example' },
    [],
  ],
  [
    '`webhookUrl` removed',
    { events: 'on', webhookUrl: 'https://a.example' },
    { events: 'on' },
    [
      'webhookdeadletters: deleted',
      'webhookpostwebhook: deleted',
      'webhookpostwebhookSqsEventSourceUserManagementwebhookqueue9AA6BD99: deleted',
      'webhookqueue: deleted',
      'webhooksecret: deleted',
    ],
  ],
  [
    '`subscriptions` from `function-url` to `web-function`',
    jwt,
    { ...jwt, ...web },
    ['graphql: deleted', 'graphqlAliaslive: deleted', 'graphqlAliasliveFunctionUrl: deleted'],
  ],
  [
    '`subscriptions` from `web-function` to `function-url`',
    { ...jwt, ...web },
    jwt,
    [
      // CDK creates these resources to copy and delete the web function's code.
      expect.stringMatching(/^CustomS3AutoDelete/),
      expect.stringMatching(/^CustomS3ObjectCopy/),
      'graphqlserverfunctionEndpoint: deleted',
    ],
  ],
  ['`auth` from `iam` to `jwt`', {}, jwt, []],
  ['`auth` from `jwt` to `iam`', jwt, {}, []],
  [
    '`auth` from `iam` to `jwt`, with a web function',
    web,
    { ...jwt, ...web },
    ['signedgraphqlserverfunctionEndpoint: deleted'],
  ],
  [
    '`auth` from `cognito` with a new pool',
    { auth: 'cognito' },
    jwt,
    ['userspool: kept, outside of the stack', 'userspoolUserManagementclient: deleted', 'userspooldomain: deleted'],
  ],
  [
    '`selfSignUp` off',
    { ...cognito, selfSignUp: 'http://localhost:3000/' },
    cognito,
    [
      'customizetoken: deleted',
      'usersgroupusersread: kept, outside of the stack',
      'usersgroupuserswrite: kept, outside of the stack',
      'userspoolUserManagementpeople: deleted',
    ],
  ],
  [
    'another `readGroup` or `writeGroup`, with `selfSignUp`',
    { ...cognito, selfSignUp: 'http://localhost:3000/' },
    { ...cognito, selfSignUp: 'http://localhost:3000/', readGroup: 'staff' },
    ['usersgroupusersread: kept, outside of the stack'],
  ],
  [
    'a restore (`restoredStream` set)',
    {},
    { restoredStream },
    ['changesonchangestream: replaced', 'table: kept, outside of the stack'],
  ],
  ['`customerManagedKey` on', {}, { customerManagedKey: 'on' }, []],
  ['`customerManagedKey` off', { customerManagedKey: 'on' }, {}, ['key: kept, outside of the stack']],
  [
    '`customerManagedKey` on or off, with `backupDays`',
    { backupDays: 30 },
    { backupDays: 30, customerManagedKey: 'on' },
    ['backupvault: kept, outside of the stack'],
  ],
  ['a shorter `backupDays`', { backupDays: 90 }, { backupDays: 30 }, []],
  ['`backupDays` removed', { backupDays: 30 }, {}, ['backupvault: kept, outside of the stack']],
  ['`canary` on or off', { canary: 'on' }, {}, []],
  ['a domain added', jwt, domain, []],
  ['a domain removed', domain, jwt, ['sitedistribution: deleted']],
  [
    '`dashboard`, `tracing`, `historyDays`, `maxStreams`',
    {},
    { dashboard: 'on', tracing: 'on', historyDays: 30, maxStreams: 5 },
    [],
  ],
];

describe('lasting resources that CloudFormation deletes or replaces', () => {
  test.each(walks)('%s', (_, before, after, losses) => {
    expect(listLosses(synthesize(before), synthesize(after))).toEqual(losses);
  });

  test('a table gets a key after all functions may use the key, and functions lose the key after the table', () => {
    const template = synthesize({ customerManagedKey: 'on', events: 'on' });
    const [table] = Object.values(template.findResources('AWS::DynamoDB::GlobalTable'));
    const policies = template.findResources('AWS::IAM::Policy');
    const earlier: string[] = table?.DependsOn ?? [];
    const listRoles = (ids: string[]) =>
      ids.flatMap((id) => policies[id]?.Properties.Roles.map(({ Ref }: { Ref: string }) => Ref) ?? []).toSorted();
    for (const id of earlier) expect(JSON.stringify(policies[id])).toContain('kms:Decrypt');
    expect(listRoles(earlier)).toEqual([...new Set(listRoles(Object.keys(policies)))]);
    // CloudFormation deletes resources after all updates.
    const left = synthesize({ events: 'on' }).toJSON().Resources;
    expect(earlier.filter((id) => id in left)).toEqual([]);
  });

  test('with another key, backups go to a vault of another name, because the former vault is kept', () => {
    const names = [{}, { customerManagedKey: 'on' }].flatMap((context) =>
      Object.values(synthesize({ backupDays: 30, ...context }).findResources('AWS::Backup::BackupVault')).map(
        ({ Properties }) => Properties.BackupVaultName,
      ),
    );
    expect(new Set(names).size).toBe(2);
  });

  test('moving or renaming a construct replaces everything and retains the table', () => {
    const [before, after] = ['Users', 'Members'].map((id) =>
      Template.fromStack(createService({}, undefined, id).stack),
    );
    if (!before || !after) throw new Error('two templates');
    const losses = listLosses(before, after);
    expect(losses).toEqual(
      expect.arrayContaining([
        'Userstable: kept, outside of the stack',
        'Usersapihttp: deleted',
        'UsersgraphqlAliasliveFunctionUrl: deleted',
      ]),
    );
    // Both tables have this name, and the first is kept, so the deploy fails.
    for (const template of [before, after])
      template.hasResourceProperties('AWS::DynamoDB::GlobalTable', { TableName: 'App-users' });
  });

  test('a restored table can be imported into the stack: it has a name and a retention policy', () => {
    const restored = synthesize({ restoredStream });
    const returned = synthesize({ tableName: 'users-restored' });
    restored.resourceCountIs('AWS::DynamoDB::GlobalTable', 0);
    returned.hasResource('AWS::DynamoDB::GlobalTable', {
      Properties: { TableName: 'users-restored' },
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
    const listVariables = (template: Template, name: string) =>
      Object.values(template.findResources('AWS::Lambda::Function')).map(
        ({ Properties }) => Properties.Environment?.Variables[name],
      );
    expect(new Set(listVariables(restored, 'TABLE_NAME'))).toEqual(new Set(['users-restored']));
    expect(listVariables(returned, 'TABLE_NAME')).toHaveLength(listVariables(restored, 'TABLE_NAME').length);
    // Lambda rejects a new version without a change, and a second event source of the same stream.
    expect(new Set(listVariables(restored, 'TABLE_IMPORTED'))).toEqual(new Set(['on']));
    expect(new Set(listVariables(returned, 'TABLE_IMPORTED'))).toEqual(new Set([undefined]));
    const listSources = (template: Template) => Object.keys(template.findResources('AWS::Lambda::EventSourceMapping'));
    expect(listSources(returned)).toEqual(listSources(restored));
  });

  test('renaming a stack, or changing its region, does not touch the former stack or its table', () => {
    const renamed = synthesize({ stackName: 'Renamed' });
    for (const { Properties } of Object.values(renamed.findResources('AWS::DynamoDB::GlobalTable')))
      expect(Properties.TableName).toBe('Renamed-users');
    expect(JSON.stringify(renamed.toJSON())).not.toContain('UserManagement-*');
  });
});

test('a new client or a new pool retains the former user pool', () => {
  const existing = synthesize({ auth: 'cognito', userPoolId: 'eu-west-1_AbCdEfGhI', userPoolClient: true });
  const losses = listLosses(synthesize({ auth: 'cognito' }), existing);
  expect(losses).toContain('userspool: kept, outside of the stack');
});

describe('a Function URL', () => {
  const url = (context: object) => Object.values(synthesize({ ...context }).findResources('AWS::Lambda::Url'))[0];

  test.each([
    ['iam', {}, 'AWS_IAM'],
    ['jwt', jwt, 'NONE'],
    ['none', { auth: 'none' }, 'NONE'],
  ])('with auth=%s, it checks signatures or leaves that to the code', (_, context, AuthType) => {
    expect(url(context)?.Properties.AuthType).toBe(AuthType);
  });

  test('changes after the alias, so code with the new setting answers before the URL opens or closes', () => {
    for (const context of [{}, jwt]) {
      const aliases = Object.keys(synthesize(context).findResources('AWS::Lambda::Alias'));
      expect(url(context)?.DependsOn.filter((id: string) => aliases.includes(id))).toHaveLength(1);
    }
  });
});

test('infra/upgrades.md lists exactly these upgrades', () => {
  const page = readFileSync('infra/upgrades.md', 'utf8');
  const rows = [...page.matchAll(/^\| (?!upgrade |---)(.*?) \|/gm)].map(([, row]) => row);
  expect(rows).toEqual([
    ...walks.map(([row]) => row),
    'the construct moved or renamed',
    'the stack renamed',
    'another region',
  ]);
});
