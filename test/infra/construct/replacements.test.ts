import { createHash } from 'node:crypto';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { operationNames } from '../../../lib/rest/operations.ts';
import { synthesize } from './synth.ts';

/** CloudFormation replaces a resource if its logical id changes, or a property that it cannot update. */
type Frozen = {
  consequence: string;
  ids: string[];
  /**
   * Properties that force a replacement if they change. Undefined: CloudFormation chooses the value, such as a name.
   */
  properties: Record<string, unknown>;
};

/** Computes logical ids from construct paths, as CDK does. */
const addOperations = (toPath: (name: string) => string[]): string[] =>
  operationNames.map((name) => {
    const path = toPath(name);
    const hash = createHash('md5')
      .update(`${path.join('/')}/Resource`)
      .digest('hex');
    return `${path.join('').replaceAll('-', '')}${hash.slice(0, 8).toUpperCase()}`;
  });

const frozen: Record<string, Frozen> = {
  'AWS::DynamoDB::GlobalTable': {
    consequence: 'a new, empty table takes the place of that with all users, which is kept but no longer used',
    ids: ['table8235A42E'],
    properties: {
      TableName: 'UserManagement-users',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      LocalSecondaryIndexes: undefined,
    },
  },
  'AWS::KMS::Key': {
    consequence: 'the table is encrypted with a new key; who disables the old one cannot read backups',
    ids: ['keyFEDD6EC0'],
    properties: { KeySpec: undefined, KeyUsage: undefined, MultiRegion: undefined },
  },
  'AWS::ApiGatewayV2::Api': {
    consequence: 'REST gets another URL: all clients, and all IAM policies with the id of the API, stop working',
    ids: ['apihttp9A9B5289'],
    properties: { ProtocolType: 'HTTP' },
  },
  'AWS::ApiGatewayV2::Stage': {
    consequence: 'REST is not reachable until the new stage exists, or has another path',
    ids: ['apistageAD065C47'],
    properties: { ApiId: { Ref: 'apihttp9A9B5289' }, StageName: '$default' },
  },
  'AWS::Lambda::Url': {
    consequence: 'GraphQL gets another URL: all its clients stop working',
    ids: ['graphqlAliasliveFunctionUrlBD6A463A'],
    properties: { TargetFunctionArn: { 'Fn::GetAtt': ['graphqlB2825E28', 'Arn'] }, Qualifier: 'live' },
  },
  'AWS::Lambda::Alias': {
    consequence:
      'the deploy fails, as a function cannot have two aliases of the same name; with another name, GraphQL gets another URL',
    ids: [
      'createuserAliaslive61003E3C',
      'deleteuserAliaslive6203AC86',
      'getuserAliaslive7E76B218',
      'graphqlAliaslive1D38CF48',
      'listusersAliaslive593BBCB3',
      'replaceuserAliaslive8915A06E',
      'updateuserAliasliveF4056DD7',
      ...addOperations((name) => [name, 'Aliaslive']),
    ],
    properties: { Name: 'live' },
  },
  'AWS::Lambda::Function': {
    consequence:
      'versions to roll back to are lost, and with that of GraphQL its URL and the IAM policies of its callers',
    ids: [
      'changesonchangeE071050C',
      'createuserADA9FC05',
      'CustomCDKBucketDeployment8693BB64968944B69AAFB0CC9EB8756C81C01536',
      'CustomS3AutoDeleteObjectsCustomResourceProviderHandler9D90184F',
      'deleteuser2C9F1B29',
      'eventspublishevents52AD65ED',
      'getuserB7DCE12E',
      'graphqlB2825E28',
      'listusers0CE85371',
      'pagesindexpagesD72CF2AC',
      'replaceuserE620851E',
      'updateuser576FDAAE',
      ...addOperations((name) => [name]),
    ],
    properties: { FunctionName: undefined, PackageType: undefined },
  },
  'AWS::Lambda::EventSourceMapping': {
    consequence: 'on-change or publish-events reads the last 24 hours of the stream again, from their start',
    ids: ['changesonchangestream17AD38A9', 'eventspublisheventsstreamFC5DCF22'],
    properties: {
      EventSourceArn: { 'Fn::GetAtt': ['table8235A42E', 'StreamArn'] },
      StartingPosition: 'TRIM_HORIZON',
    },
  },
  'AWS::Logs::LogGroup': {
    consequence:
      'logs continue in another group: queries and subscriptions of operators miss them, and the old group is kept',
    ids: ['apiaccess9DE2DCCE', 'logs0B6081B1'],
    properties: { LogGroupClass: undefined },
  },
  'AWS::SQS::Queue': {
    consequence: 'the dead letters in the queue are deleted',
    ids: ['changesdeadletters72699C60', 'eventsdeadletters386CAF9E'],
    properties: { QueueName: undefined, FifoQueue: undefined },
  },
  'AWS::Events::EventBus': {
    consequence:
      'the rules of other stacks on the bus are gone with it, and with another name, all of them receive nothing',
    ids: ['eventsbusD36CCD54'],
    properties: { Name: 'UserManagement' },
  },
  'AWS::EventSchemas::Registry': {
    consequence: 'the deploy fails, as the name is taken until the old one is deleted',
    ids: ['eventsschemasF0B7EA94'],
    properties: { RegistryName: 'UserManagement' },
  },
  'AWS::EventSchemas::Schema': {
    consequence: 'the deploy fails, as the name is taken until the old one is deleted',
    ids: [
      'eventspostcreatedBB979197',
      'eventspostdeletedAD61BB24',
      'eventspostupdated51BD39ED',
      'eventsusercreated5F6AA90B',
      'eventsuserdeleted444CB4DC',
      'eventsuserupdated0D6293D5',
    ],
    properties: { Type: 'JSONSchemaDraft4' },
  },
  'AWS::SNS::Topic': {
    consequence: 'operators who subscribed to the topic themselves are no longer notified of alarms',
    ids: ['monitoringalarms9751FF5B'],
    properties: { TopicName: undefined, FifoTopic: undefined },
  },
  'AWS::SNS::Subscription': {
    consequence: 'alarms send no email until its recipient confirms the subscription again',
    ids: ['monitoringalarmsopsexamplecomB3C4EA8B'],
    properties: { Protocol: 'email', Endpoint: 'ops@example.com' },
  },
  'AWS::CloudWatch::Dashboard': {
    consequence: 'the deploy fails with another logical id, as the name is taken; with another name, links to it break',
    ids: ['monitoringdashboardF05E9409'],
    properties: { DashboardName: { 'Fn::Join': ['', ['UserManagement-', { Ref: 'AWS::Region' }]] } },
  },
  'AWS::CloudFront::Distribution': {
    consequence: 'the console gets another URL, which the issuer must know as redirect URL',
    ids: ['sitedistributionB947148B'],
    properties: {},
  },
  'AWS::CloudFront::Function': {
    consequence: 'the deploy fails, as the name is taken until the old one is deleted',
    ids: ['siteaddressEB75746D', 'sitedocs75B5B4CD'],
    properties: {},
  },
  'AWS::CloudFront::OriginAccessControl': {
    consequence: 'the deploy fails, as the name is taken until the old one is deleted',
    ids: ['siteaccessC4AF19D4'],
    properties: {},
  },
  'AWS::CloudFront::ResponseHeadersPolicy': {
    consequence: 'the deploy fails, as the name is taken until the old one is deleted',
    ids: ['siteheaders378D0B67'],
    properties: {},
  },
};

/** May be replaced: CloudFormation creates the new resource first, and only the stack refers to it. */
const REPLACEABLE = [
  'AWS::ApiGatewayV2::Authorizer',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::CloudWatch::Alarm',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::Events::Rule',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::LayerVersion',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Version',
  'AWS::Logs::MetricFilter',
  'AWS::S3::Bucket',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'Custom::CDKBucketDeployment',
  'Custom::S3AutoDeleteObjects',
];

const jwt = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users' };
const optional = {
  ...{ console: 'on', canary: 'on', customerManagedKey: 'on', alarmEmail: 'ops@example.com', events: 'on' },
  dashboard: 'on',
};
const synthesizeAll = () => synthesize({ ...jwt, ...optional });
const contexts: Record<string, unknown>[] = [
  {},
  jwt,
  { auth: 'none', console: 'on' },
  { ...jwt, ...optional, corsOrigins: '*', tracing: 'on' },
];

describe.each(Object.entries(frozen))('%s', (type, { consequence, ids, properties }) => {
  test(`keeps its logical ids: otherwise ${consequence}`, () => {
    const found = Object.keys(synthesizeAll().findResources(type));
    expect(found.toSorted(), consequence).toEqual([...new Set(ids)].toSorted());
  });

  test(`keeps its properties that cannot be updated: otherwise ${consequence}`, () => {
    for (const [id, { Properties = {} }] of Object.entries(synthesizeAll().findResources(type)))
      for (const [name, value] of Object.entries(properties))
        expect(Properties[name], `${id}.${name}: ${consequence}`).toEqual(value);
  });

  test.each(contexts)('has no other logical ids with the settings %o', (context) => {
    expect(ids).toEqual(expect.arrayContaining(Object.keys(synthesize(context).findResources(type))));
  });
});

test('every type of resource is either frozen, with the consequence of a replacement, or replaceable', () => {
  const types = Object.values(synthesizeAll().toJSON().Resources as Record<string, { Type: string }>).map(
    ({ Type }) => Type,
  );
  expect([...new Set(types)].toSorted()).toEqual([...Object.keys(frozen), ...REPLACEABLE].toSorted());
});

describe('with auth=cognito', () => {
  const settings = { auth: 'cognito' };

  test('pool, client, scopes and sign-in pages keep their logical ids: otherwise all users of the pool are lost', () => {
    const types = ['UserPool', 'UserPoolClient', 'UserPoolResourceServer', 'UserPoolDomain'];
    expect(
      types.flatMap((type) => Object.keys(synthesize(settings).findResources(`AWS::Cognito::${type}`))),
    ).toMatchInlineSnapshot(`
      [
        "userspool0B042369",
        "userspoolUserManagementclientAF0C2DFF",
        "userspoolUserManagementscopes1B5650AD",
        "userspooldomainB3ACE818",
      ]
    `);
  });

  test('the scopes keep their names: otherwise all clients must request others', () => {
    synthesize(settings).hasResourceProperties('AWS::Cognito::UserPoolResourceServer', {
      Identifier: 'UserManagement',
      Scopes: ['users:read', 'users:write', 'users:history', 'users:erase'].map((ScopeName) => ({ ScopeName })),
    });
  });

  test('the sign-in attributes stay, because Cognito cannot change them', () => {
    synthesize(settings).hasResource('AWS::Cognito::UserPool', {
      DeletionPolicy: 'Retain',
      Properties: { UsernameAttributes: ['email'], AliasAttributes: Match.absent(), DeletionProtection: 'ACTIVE' },
    });
  });
});

describe('with webhookUrl', () => {
  test('secret and queues keep their logical ids: otherwise receivers reject all events, and waiting ones are lost', () => {
    const template = synthesize({ events: 'on', webhookUrl: 'https://crm.example.com/hook' });
    const types = ['AWS::SecretsManager::Secret', 'AWS::SQS::Queue'];
    const ids = types.flatMap((type) => Object.keys(template.findResources(type)));
    expect(ids.filter((id) => id.startsWith('webhook'))).toMatchInlineSnapshot(`
      [
        "webhooksecret0C3E9BC3",
        "webhookdeadlettersC7544790",
        "webhookqueue4A92F15F",
      ]
    `);
  });
});

test('the index keeps its name, keys and projection: otherwise the deploy fails, as DynamoDB cannot change an index', () => {
  const [{ Properties } = { Properties: {} }] = Object.values(
    synthesizeAll().findResources('AWS::DynamoDB::GlobalTable'),
  );
  expect(Properties.GlobalSecondaryIndexes).toEqual([
    {
      IndexName: 'directory',
      KeySchema: [
        { AttributeName: 'directory', KeyType: 'HASH' },
        { AttributeName: 'pk', KeyType: 'RANGE' },
      ],
      Projection: {
        ProjectionType: 'INCLUDE',
        NonKeyAttributes: ['name', 'email', 'fields', 'createdAt', 'updatedAt', 'version', 'by'],
      },
      WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: 14_000 },
    },
  ]);
});

test('the stream keeps its view type: otherwise it is replaced, and changes that on-change has not read are lost', () => {
  const [{ Properties } = { Properties: {} }] = Object.values(
    synthesizeAll().findResources('AWS::DynamoDB::GlobalTable'),
  );
  expect(Properties.StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
});

test('the outputs keep their names: otherwise runbook commands and scripts of operators fail', () => {
  expect(Object.keys(synthesizeAll().toJSON().Outputs)).toEqual([
    'ApiUrl',
    'GraphqlUrl',
    'ConsoleUrl',
    'TableName',
    'EventBusName',
    'EventBusArn',
  ]);
});
