import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Duration, aws_ec2 as ec2, RemovalPolicy, Stack, Tags, Token } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { HttpIamAuthorizer, HttpLambdaAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { UserPool } from 'aws-cdk-lib/aws-cognito';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { ManagedPolicy, PermissionsBoundary, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { describe, expect, test } from 'vitest';
import type { UserManagementProps } from '../../../infra/construct/props.ts';
import { UserManagement } from '../../../infra/construct/user-management.ts';
import { UsersTable } from '../../../infra/construct/users-table.ts';
import { SettingError } from '../../../infra/settings/settings.ts';
import { completeProps, createService, FUNCTION_COUNT, placeholders } from './synth.ts';

const tokens = { issuer: 'https://issuer.example', audience: 'users' };
const CERTIFICATE = 'arn:aws:acm:us-east-1:123456789012:certificate/1';

/** `create` may add resources to the stack. */
function synthesizeService(create: (stack: Stack) => UserManagementProps = () => ({})) {
  const stack = new Stack(new App(), 'App');
  const service = new UserManagement(stack, 'Users', completeProps(create(stack)));
  return { stack, service, template: () => Template.fromStack(stack) };
}

test('the logical ids of table, API, URL and stream consumer stay: otherwise an update of the package loses all data', () => {
  const { template } = synthesizeService();
  const listIds = (type: string) => Object.keys(template().findResources(type));
  expect([
    ...listIds('AWS::DynamoDB::GlobalTable'),
    ...listIds('AWS::ApiGatewayV2::Api'),
    ...listIds('AWS::ApiGatewayV2::Stage'),
    ...listIds('AWS::Lambda::Url'),
    ...listIds('AWS::Lambda::EventSourceMapping'),
  ]).toMatchInlineSnapshot(`
    [
      "Userstable5DAA58F1",
      "Usersapihttp182CDD3B",
      "UsersapistageF962B282",
      "UsersgraphqlAliasliveFunctionUrl835F4B7C",
      "Userschangesonchangestream3F73E70E",
    ]
  `);
});

test('the construct exposes its resources as attributes', () => {
  const { service, stack } = synthesizeService();
  expect(Object.keys(service.functions)).toEqual(
    expect.arrayContaining(['create-user', 'graphql', 'on-change', 'index-pages']),
  );
  expect(service.alarms.length).toBeGreaterThan(5);
  expect(stack.resolve(service.restUrl)).toBeDefined();
  expect(stack.resolve(service.graphqlUrl)).toBeDefined();
  expect(service.table.tableStreamArn).toBeDefined();
  expect(service.topic.topicArn).toBeDefined();
  expect(service.distribution).toBeUndefined();
});

describe('several services', () => {
  /** Lists names that must be unique in an account or region. */
  const listNames = (template: Template) =>
    Object.values(template.toJSON().Resources as Record<string, { Properties?: Record<string, unknown> }>)
      .flatMap(({ Properties = {} }) => {
        const { DashboardName, FunctionConfig, Name, ResponseHeadersPolicyConfig, OriginAccessControlConfig } =
          Properties;
        const named = [ResponseHeadersPolicyConfig, OriginAccessControlConfig] as ({ Name: unknown } | undefined)[];
        return [DashboardName, FunctionConfig ? Name : undefined, ...named.map((config) => config?.Name)];
      })
      .filter((name) => name !== undefined)
      .map((name) => JSON.stringify(name));
  const props = completeProps({ auth: 'none', console: true, dashboard: true });
  const listNamespaces = (template: Template) =>
    Object.values(template.findResources('AWS::Logs::MetricFilter')).map(
      ({ Properties }) => Properties.MetricTransformations[0].MetricNamespace,
    );

  test('can be in one stack, with separate names and metrics', () => {
    const stack = new Stack(new App(), 'App');
    for (const id of ['Customers', 'Staff']) new UserManagement(stack, id, { ...props, tableName: id });
    const template = Template.fromStack(stack);
    const names = listNames(template);
    expect(names.length).toBe(10);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(listNamespaces(template)).size).toBe(2);
    expect(Object.keys(template.toJSON().Resources).length).toBeLessThan(500);
  });

  test('have an event bus and a registry of schemas each, and three fit into one stack', () => {
    const stack = new Stack(new App(), 'App');
    const ids = ['Customers', 'Staff', 'Partners'];
    for (const id of ids) new UserManagement(stack, id, { tableName: id, events: true, bundles: placeholders });
    const template = Template.fromStack(stack);
    const names = ['AWS::Events::EventBus', 'AWS::EventSchemas::Registry'].map((type) =>
      Object.values(template.findResources(type)).map(({ Properties }) => Properties.Name ?? Properties.RegistryName),
    );
    expect(names.map((each) => new Set(each).size)).toEqual([3, 3]);
    expect(Object.keys(template.toJSON().Resources).length).toBeLessThan(500);
  });

  test('can be in two stacks of one app, even with the same id', () => {
    const app = new App();
    const templates = ['Staging', 'Production'].map((name) => {
      const stack = new Stack(app, name);
      new UserManagement(stack, 'Users', props);
      return stack;
    });
    const names = templates.flatMap((stack) => listNames(Template.fromStack(stack)));
    expect(names.length).toBe(10);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toContain('AWS::Region');
  });
});

describe('a wrong prop is rejected in one sentence that starts with the path of the construct:', () => {
  const importTable = (scope: Construct) =>
    TableV2.fromTableName(scope, 'imported', 'users') as UserManagementProps['table'];
  const certificate = (scope: Construct) => Certificate.fromCertificateArn(scope, 'certificate', CERTIFICATE);

  test.each<[string, (scope: Construct) => object]>([
    ['maxStreams is -1; expected: 0 to 10000', () => ({ maxStreams: -1 })],
    ['throttleRate is 0; expected: 1 to 10000', () => ({ throttleRate: 0 })],
    ['corsOrigins is ["app.example.com"]', () => ({ corsOrigins: ['app.example.com'] })],
    ['unknown prop maxstreams; the props are alarmEmail, ', () => ({ maxstreams: 5 })],
    ['auth is "open"; expected: \'iam\'', () => ({ auth: 'open' })],
    ['auth.issuer is "http://issuer.example"', () => ({ auth: { ...tokens, issuer: 'http://issuer.example' } })],
    ['auth is {"issuer":"https://issuer.example"}', () => ({ auth: { issuer: tokens.issuer } })],
    ['auth is {"issuer":"https://issuer.example","audience":[]}', () => ({ auth: { ...tokens, audience: [] } })],
    ['auth.scopes.read is "two words"', () => ({ auth: { ...tokens, scopes: { read: 'two words', write: 'w' } } })],
    [
      'auth.scopes.list has no effect with your own authorizer',
      () => ({
        auth: { authorizer: new HttpIamAuthorizer(), scopes: { read: 'r', write: 'w', list: 'l' }, graphql: 'iam' },
      }),
    ],
    ['userPool replaces auth', () => ({ auth: tokens, userPool: 'new' })],
    ['console with userPool requires domainName', () => ({ userPool: 'new', console: true })],
    ['console requires tokens or auth=none', () => ({ console: true })],
    [
      'domainName requires tokens or auth=none',
      (scope) => ({ domainName: 'a.example', certificate: certificate(scope) }),
    ],
    ['domainName requires its certificate', () => ({ auth: 'none', domainName: 'users.example.com' })],
    ['certificate requires its domainName', (scope) => ({ auth: 'none', certificate: certificate(scope) })],
    ['table has no stream', (scope) => ({ table: importTable(scope) })],
    [
      'deletionProtection are props of a new table',
      (scope) => ({ table: new UsersTable(scope, 'T'), deletionProtection: true }),
    ],
    ['the table cannot have replicas', () => ({ tableProps: { replicas: [{ region: 'eu-central-1' }] } })],
    ['vpcSubnets and securityGroups require vpc', () => ({ securityGroups: [] })],
    ['The field nickname has the unknown member typ', () => ({ fields: { nickname: { type: 'string', typ: 1 } } })],
    [
      'maxThroughput.readUnitsPerSecond is 0; expected: 1 or more',
      () => ({ maxThroughput: { readUnitsPerSecond: 0 } }),
    ],
    ['concurrency is a CDK token', () => ({ concurrency: Token.asNumber({ Ref: 'Quota' }) })],
    [
      'graphqlConcurrency is 5, which leaves no room',
      () => ({ concurrency: 105, graphqlConcurrency: 5, maxStreams: 5 }),
    ],
  ])('%s', (sentence, create) => {
    const make = () => {
      const stack = new Stack(new App(), 'App');
      return new UserManagement(stack, 'Users', completeProps(create(stack)));
    };
    expect(make).toThrow(SettingError);
    expect(make).toThrow(/^App\/Users: [^\n]*\.$/);
    expect(make).toThrow(sentence);
  });
});

describe('a team brings its own', () => {
  test('table from another stack', () => {
    const app = new App();
    const table = new UsersTable(new Stack(app, 'Data'), 'Users') as UserManagementProps['table'];
    const stack = new Stack(app, 'App');
    new UserManagement(stack, 'Users', { table, bundles: placeholders });
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 0);
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::ImportValue': Match.stringLikeRegexp('StreamArn') },
    });
  });

  test('key, topic and retention', () => {
    const { template } = synthesizeService((stack) => ({
      encryptionKey: new Key(stack, 'Key') as UserManagementProps['encryptionKey'],
      alarmTopic: new Topic(stack, 'Topic') as UserManagementProps['alarmTopic'],
      logRetention: RetentionDays.ONE_YEAR,
    }));
    template().allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 365, KmsKeyId: Match.absent() });
    template().resourceCountIs('AWS::SNS::Topic', 1);
    template().allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: [{ Ref: Match.stringLikeRegexp('^Topic') }],
    });
    // Alarms notify a topic that may be encrypted with this key.
    template().hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          }),
        ]),
      },
    });
  });

  test('topic, whose policy lets alarms publish even with backupDays', () => {
    const { template } = synthesizeService((stack) => ({
      alarmTopic: new Topic(stack, 'Topic') as UserManagementProps['alarmTopic'],
      backupDays: 30,
    }));
    template().hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          }),
        ]),
      },
    });
  });

  test('authorizer for REST, with tokens or signed requests for GraphQL', () => {
    const { template } = synthesizeService((stack) => ({
      auth: {
        authorizer: new HttpLambdaAuthorizer(
          'own',
          new LambdaFunction(stack, 'Own', {
            runtime: Runtime.NODEJS_24_X,
            handler: 'x.y',
            code: Code.fromInline('0'),
          }),
        ),
        graphql: 'iam',
      },
    }));
    template().allResourcesProperties('AWS::ApiGatewayV2::Route', { AuthorizationType: 'CUSTOM' });
    template().hasResourceProperties('AWS::Lambda::Url', { AuthType: 'AWS_IAM' });
  });

  test('VPC for every function', () => {
    const { template } = synthesizeService((stack) => ({
      vpc: new ec2.Vpc(stack, 'Vpc', { restrictDefaultSecurityGroup: false }) as ec2.IVpc,
    }));
    template().resourcePropertiesCountIs(
      'AWS::Lambda::Function',
      { VpcConfig: { SubnetIds: Match.anyValue() } },
      FUNCTION_COUNT,
    );
  });

  test('subnets and security groups, in which functions may create network interfaces', () => {
    const { template } = synthesizeService((stack) => {
      const vpc = new ec2.Vpc(stack, 'Vpc', { restrictDefaultSecurityGroup: false }) as ec2.IVpc;
      const group = new ec2.SecurityGroup(stack, 'Group', { vpc });
      return {
        vpc,
        vpcSubnets: { subnets: vpc.privateSubnets.slice(0, 1) },
        securityGroups: [group as ec2.ISecurityGroup],
      };
    });
    const VpcConfig = {
      SubnetIds: [{ Ref: Match.stringLikeRegexp('^VpcPrivateSubnet1') }],
      SecurityGroupIds: [{ 'Fn::GetAtt': [Match.stringLikeRegexp('^Group'), 'GroupId'] }],
    };
    template().resourcePropertiesCountIs('AWS::Lambda::Function', { VpcConfig }, FUNCTION_COUNT);
    const policy = Match.stringLikeRegexp('/AWSLambdaVPCAccessExecutionRole$');
    template().resourcePropertiesCountIs(
      'AWS::IAM::Role',
      { ManagedPolicyArns: [{ 'Fn::Join': ['', Match.arrayWith([policy])] }] },
      FUNCTION_COUNT,
    );
  });

  test('tags and permission boundary, set with CDK', () => {
    const { stack, template } = synthesizeService();
    const boundary = ManagedPolicy.fromManagedPolicyName(stack, 'Boundary', 'boundary');
    PermissionsBoundary.of(stack).apply(boundary);
    Tags.of(stack).add('team', 'identity');
    template().allResourcesProperties('AWS::IAM::Role', { PermissionsBoundary: Match.anyValue() });
    template().hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      Replicas: [{ Tags: [{ Key: 'team', Value: 'identity' }] }],
    });
  });

  test('fields, deployed with the code of every function', () => {
    const fields = { nickname: { type: 'string', maxLength: 20 } } as const;
    const { app } = createService({ fields });
    const { directory } = app.synth();
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('fields.json'),
    );
    expect(files.length).toBe(FUNCTION_COUNT);
    for (const file of files) expect(JSON.parse(readFileSync(join(directory, file), 'utf8'))).toEqual(fields);
    const template = synthesizeService(() => ({ fields })).template();
    template.resourcePropertiesCountIs(
      'AWS::Lambda::Function',
      {
        Environment: { Variables: Match.objectLike({ FIELDS_FILE: 'fields.json' }) },
      },
      FUNCTION_COUNT,
    );
  });

  test('removal policy: DESTROY keeps nothing', () => {
    const { template } = synthesizeService(() => ({ removalPolicy: RemovalPolicy.DESTROY }));
    template().allResources('AWS::Logs::LogGroup', { DeletionPolicy: 'Delete' });
    template().hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Delete',
      Properties: { Replicas: [Match.objectLike({ DeletionProtectionEnabled: false })] },
    });
  });

  test('warm throughput, for table and index', () => {
    const warm = { readUnitsPerSecond: 20_000, writeUnitsPerSecond: 8_000 };
    const WarmThroughput = { ReadUnitsPerSecond: 20_000, WriteUnitsPerSecond: 8_000 };
    const { template } = synthesizeService(() => ({ warmThroughput: warm }));
    template().hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      WarmThroughput,
      GlobalSecondaryIndexes: [Match.objectLike({ WarmThroughput })],
    });
  });
});

describe('grants', () => {
  const grantee = (stack: Stack) => new Role(stack, 'Caller', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') });
  const readPolicy = (template: Template) =>
    Object.entries(template.findResources('AWS::IAM::Policy')).find(([id]) => id.startsWith('Caller'))?.[1].Properties
      .PolicyDocument.Statement;

  test('to read allow GET and HEAD of REST', () => {
    const { stack, service, template } = synthesizeService();
    service.grantRead(grantee(stack));
    const text = JSON.stringify(readPolicy(template()));
    expect(text).toContain('/$default/GET/*');
    expect(text).toContain('/$default/HEAD/*');
    expect(text).not.toContain('lambda:');
  });

  test('to write allow all of REST, and GraphQL through its URL only', () => {
    const { stack, service, template } = synthesizeService();
    service.grantWrite(grantee(stack));
    expect(JSON.stringify(readPolicy(template()))).toContain('/$default/*/*');
    expect(readPolicy(template())).toContainEqual(
      expect.objectContaining({
        Action: 'lambda:InvokeFunction',
        Condition: { Bool: { 'lambda:InvokedViaFunctionUrl': 'true' } },
      }),
    );
  });

  test('need signed requests', () => {
    const { stack, service } = synthesizeService(() => ({ auth: tokens }));
    expect(() => service.grantRead(grantee(stack))).toThrow('grantRead and grantWrite require auth=iam');
  });
});

describe('a domain', () => {
  const domain = (stack: Stack): UserManagementProps => ({
    auth: tokens,
    domainName: 'users.example.com',
    certificate: Certificate.fromCertificateArn(stack, 'certificate', CERTIFICATE),
  });

  test('serves both APIs on one host, without the console', () => {
    const { service, template } = synthesizeService(domain);
    expect([service.restUrl, service.graphqlUrl]).toEqual([
      'https://users.example.com/',
      'https://users.example.com/graphql',
    ]);
    template().hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: {
        Aliases: ['users.example.com'],
        ViewerCertificate: { AcmCertificateArn: CERTIFICATE },
        CacheBehaviors: Match.arrayWith([Match.objectLike({ PathPattern: '/graphql' })]),
      },
    });
    template().resourceCountIs('AWS::S3::Bucket', 0);
  });

  test('serves the console, too', () => {
    const { service, template } = synthesizeService((stack) => ({ ...domain(stack), console: true }));
    expect(service.consoleUrl).toBe('https://users.example.com/');
    template().resourceCountIs('AWS::CloudFront::Distribution', 1);
  });
});

/** Cognito adds the resource server as prefix at deployment. */
const joinedScope = (name: string) => ({ 'Fn::Join': ['', [{ Ref: Match.stringLikeRegexp('scopes') }, `/${name}`]] });

const consoleProps = (stack: Stack): UserManagementProps => ({
  console: true,
  domainName: 'users.example.com',
  certificate: Certificate.fromCertificateArn(stack, 'certificate', CERTIFICATE),
});

describe('a user pool', () => {
  test('that is new issues tokens with the scopes of its resource server to a public client', () => {
    const { service, template } = synthesizeService(() => ({ userPool: 'new' }));
    const result = template();
    const [id = ''] = Object.keys(result.findResources('AWS::Cognito::UserPoolClient'));
    const [poolId = ''] = Object.keys(result.findResources('AWS::Cognito::UserPool'));
    result.hasResourceProperties('AWS::Cognito::UserPoolClient', {
      GenerateSecret: false,
      PreventUserExistenceErrors: 'ENABLED',
      CallbackURLs: ['http://localhost:3000/'],
      LogoutURLs: ['http://localhost:3000/'],
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['openid', 'read', 'write', 'history'].map((name) =>
        name === 'openid' ? name : joinedScope(`users:${name}`),
      ),
    });
    // Only operators add people to this user pool.
    result.hasResourceProperties('AWS::Lambda::Function', {
      Handler: 'graphql.handler',
      Environment: { Variables: Match.objectLike({ AUTH_WRITE_GROUP: Match.absent() }) },
    });
    result.allResourcesProperties('AWS::ApiGatewayV2::Authorizer', {
      JwtConfiguration: {
        Audience: [{ Ref: id }],
        Issuer: { 'Fn::Join': ['', ['https://', { 'Fn::GetAtt': [poolId, 'ProviderName'] }]] },
      },
    });
    const routes = Object.values(result.findResources('AWS::ApiGatewayV2::Route'));
    const scopes = new Set(routes.map(({ Properties }) => Properties.AuthorizationScopes[0]));
    const { read, write } = service.scopes ?? {};
    expect(scopes).toEqual(new Set([read, write]));
    expect(service.scopes?.read).toMatch(/^App-Users-\w+\/users:read$/);
    result.hasResourceProperties('AWS::Lambda::Function', {
      Handler: 'graphql.handler',
      Environment: {
        Variables: Match.objectLike({
          AUTH_AUDIENCE: { 'Fn::Join': [',', [{ Ref: id }]] },
          AUTH_READ_SCOPE: service.scopes?.read,
        }),
      },
    });
  });

  test('that is new is kept with its people, who need strong passwords and may add a second factor', () => {
    const { template } = synthesizeService(() => ({ userPool: 'new' }));
    template().hasResource('AWS::Cognito::UserPool', {
      DeletionPolicy: 'Retain',
      Properties: {
        DeletionProtection: 'ACTIVE',
        UsernameAttributes: ['email'],
        AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
        MfaConfiguration: 'OPTIONAL',
        EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
        Policies: {
          PasswordPolicy: {
            MinimumLength: 12,
            RequireLowercase: true,
            RequireNumbers: true,
            RequireSymbols: true,
            RequireUppercase: true,
          },
        },
      },
    });
  });

  const existing = (stack: Stack) => ({ userPool: UserPool.fromUserPoolId(stack, 'Pool', 'eu-west-1_AbCdEfGhI') });

  test('that exists gets no client, because anyone who can register there could sign in with it', () => {
    const { stack, service, template } = synthesizeService(existing);
    expect(service.userPoolClient).toBeUndefined();
    expect(() => template()).toThrow('No client of the pool is accepted');
    service.addUserPoolClient('Nightly', { generateSecret: true, oAuth: { flows: { clientCredentials: true } } });
    const result = Template.fromStack(stack);
    result.resourceCountIs('AWS::Cognito::UserPoolClient', 1);
    result.hasResourceProperties('AWS::Cognito::UserPoolClient', {
      AllowedOAuthScopes: [joinedScope('users:read'), joinedScope('users:write')],
    });
  });

  test.each([
    ['a client that is asked for', { userPoolClient: true }, 1],
    ['clients that exist', { userPoolClientIds: ['1example23456789'] }, 0],
  ])('that exists, with %s, gives people rights by groups only, in both APIs', (_, props, clients) => {
    const { template } = synthesizeService((stack) => ({ ...existing(stack), ...props }));
    const result = template();
    result.resourceCountIs('AWS::Cognito::UserPoolClient', clients);
    const functions = Object.values(result.findResources('AWS::Lambda::Function'));
    for (const Handler of ['graphql', 'create-user', 'list-users']) {
      const found = functions.find(({ Properties }) => Properties.Handler === `${Handler}.handler`);
      expect(found?.Properties.Environment.Variables, Handler).toMatchObject({
        AUTH_READ_GROUP: 'users-read',
        AUTH_WRITE_GROUP: 'users-write',
        AUTH_GROUPS_CLAIM: 'cognito:groups',
      });
    }
  });

  test.each([
    ['a new pool', () => ({ userPool: 'new' as const, userPoolClientIds: ['x'] }), 'require an existing userPool'],
    ['no pool', () => ({ userPoolClient: true }), 'require an existing userPool'],
    [
      'an existing pool',
      (stack: Stack) => ({ ...existing(stack), ...consoleProps(stack) }),
      'requires userPoolClient, or',
    ],
    ['signed requests', () => ({ writeGroup: 'editors' }), 'require tokens that the service itself checks'],
  ])('props that give %s a wrong client, or groups, are rejected', (_, create, reason) => {
    expect(() => synthesizeService(create)).toThrow(reason);
  });

  test('that exists gets further clients, whose tokens are accepted', () => {
    const { service, template } = synthesizeService((stack) => ({
      userPool: UserPool.fromUserPoolId(stack, 'Pool', 'eu-west-1_AbCdEfGhI'),
      userPoolClient: true,
    }));
    service.addUserPoolClient('Nightly', { generateSecret: true, oAuth: { flows: { clientCredentials: true } } });
    template().resourceCountIs('AWS::Cognito::UserPool', 0);
    template().hasResourceProperties('AWS::Cognito::UserPoolClient', {
      AllowedOAuthFlows: ['client_credentials'],
      AllowedOAuthScopes: Match.not(Match.arrayWith(['openid'])),
    });
    template().allResourcesProperties('AWS::ApiGatewayV2::Authorizer', {
      JwtConfiguration: { Audience: [Match.anyValue(), Match.anyValue()] },
    });
  });

  test('signs the users of the console in', () => {
    const { template } = synthesizeService((stack) => ({
      userPool: 'new',
      console: true,
      domainName: 'users.example.com',
      certificate: Certificate.fromCertificateArn(stack, 'certificate', CERTIFICATE),
    }));
    template().hasResourceProperties('AWS::Cognito::UserPoolClient', { CallbackURLs: ['https://users.example.com/'] });
    const [{ Properties } = { Properties: {} }] = Object.values(
      template().findResources('AWS::CloudFront::ResponseHeadersPolicy'),
    );
    expect(JSON.stringify(Properties)).toContain('amazoncognito.com');
  });
});

describe('the pages to sign in have a prefix that Cognito accepts', () => {
  test.each([
    ['UserManagement', 'usermanagement'],
    ['AWSUsersOfAmazon', 'usersof'],
    ['my-cognito-users', 'my-users'],
    ['Cognito', 'users'],
    [`A${'-long'.repeat(12)}-x1`, `a${'-long'.repeat(10)}-lo`],
  ])('of the stack %s', (stackName, prefix) => {
    const stack = new Stack(new App(), stackName);
    // CDK omits the id `Default` from names, as in `npm run deploy`.
    new UserManagement(stack, 'Default', completeProps({ userPool: 'new' }));
    const [domain] = Object.values(Template.fromStack(stack).findResources('AWS::Cognito::UserPoolDomain'));
    const [start, id] = domain?.Properties.Domain['Fn::Join'][1] ?? [];
    expect(start).toBe(`${prefix}-`);
    expect(JSON.stringify(id)).toContain('AWS::StackId');
  });
});

test('functions may use the key of an imported table', () => {
  const app = new App();
  const data = new Stack(app, 'Data');
  const key = new Key(data, 'Key') as UserManagementProps['encryptionKey'];
  const table = new UsersTable(data, 'Users', { encryptionKey: key }) as UserManagementProps['table'];
  const stack = new Stack(app, 'App');
  new UserManagement(stack, 'Users', { table, events: true, bundles: placeholders });
  const template = Template.fromStack(stack);
  const policies = Object.values(template.findResources('AWS::IAM::Policy'));
  const decrypting = policies.filter(({ Properties }) => JSON.stringify(Properties).includes('"kms:Decrypt"'));
  const listRoles = (of: typeof policies) => new Set(of.map(({ Properties }) => Properties.Roles[0].Ref));
  expect(listRoles(decrypting)).toEqual(listRoles(policies));
  expect(listRoles(policies).size).toBeGreaterThan(9);
  for (const { Properties } of decrypting)
    expect(JSON.stringify(Properties)).toMatch(/"Fn::ImportValue":"Data:ExportsOutputFnGetAttKey/);
  template.resourceCountIs('AWS::KMS::Key', 0);
});

test('functions that only read may decrypt with the key, but not encrypt', () => {
  const { template } = synthesizeService((stack) => ({ encryptionKey: new Key(stack, 'Key') as IKey }));
  const encrypting = Object.entries(template().findResources('AWS::IAM::Policy'))
    .filter(([, { Properties }]) => /kms:(Encrypt|GenerateDataKey|ReEncrypt)/.test(JSON.stringify(Properties)))
    .map(([id]) => id);
  for (const name of ['createuser', 'updateuser', 'graphql', 'onchange', 'indexpages'])
    expect(encrypting.filter((id) => id.includes(name))).toHaveLength(1);
  for (const name of ['getuser', 'listusers']) expect(encrypting.filter((id) => id.includes(name))).toEqual([]);
});

describe('further props', () => {
  test('of functions apply to those that answer requests', () => {
    const functionProps = { memorySize: 512, timeout: Duration.seconds(20), environment: { EXTRA: '1' } };
    const { template } = synthesizeService(() => ({ functionProps }));
    const functions = Object.values(template().findResources('AWS::Lambda::Function'));
    const find = (name: string) =>
      functions.find(({ Properties }) => Properties.Handler === `${name}.handler`)?.Properties;
    expect(find('get-user')).toMatchObject({ MemorySize: 512, Timeout: 20 });
    expect(find('get-user').Environment.Variables).toMatchObject({ EXTRA: '1', TABLE_NAME: expect.anything() });
    // GraphQL keeps its timeout, because subscriptions need it.
    expect(find('graphql')).toMatchObject({ MemorySize: 512, Timeout: 120 });
    expect(find('index-pages')).toMatchObject({ MemorySize: 256 });
    expect(() => synthesizeService(() => ({ functionProps: { timeout: Duration.seconds(5) } }))).toThrow(
      'functionProps.timeout is 5 seconds; expected: at least 6 seconds',
    );
  });

  test("of the table override the construct's, and a throughput limit caps the cost", () => {
    const tags = [{ key: 'team', value: 'people' }];
    const given = { tableName: 'people', tableProps: { tags }, maxThroughput: { readUnitsPerSecond: 100 } };
    synthesizeService(() => given)
      .template()
      .hasResourceProperties('AWS::DynamoDB::GlobalTable', {
        TableName: 'people',
        WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: 14_000 },
        Replicas: [
          Match.objectLike({
            ReadOnDemandThroughputSettings: { MaxReadRequestUnits: 100 },
            Tags: [{ Key: 'team', Value: 'people' }],
            GlobalSecondaryIndexes: [
              Match.objectLike({ ReadOnDemandThroughputSettings: { MaxReadRequestUnits: 100 } }),
            ],
          }),
        ],
      });
  });

  test('override thresholds of alarms', () => {
    const alarmThresholds = { latency: 3_000 };
    synthesizeService(() => ({ alarmThresholds }))
      .template()
      .hasResourceProperties('AWS::CloudWatch::Alarm', {
        AlarmDescription: Match.stringLikeRegexp('p99'),
        Threshold: 3_000,
      });
    expect(() => synthesizeService(() => ({ alarmThresholds: { speed: 1 } }))).toThrow(
      /alarmThresholds has unknown alarms speed; the alarms are .*latency/,
    );
  });

  test('outputs contain the URLs with descriptions, if outputs are on', () => {
    const listOutputs = (props: UserManagementProps): [string, { Description?: string }][] =>
      Object.entries(
        synthesizeService(() => props)
          .template()
          .toJSON().Outputs ?? {},
      );
    expect(listOutputs({})).toEqual([]);
    const outputs = listOutputs({ outputs: true, events: true, userPool: 'new' });
    expect(outputs.map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual([
      'UsersApiUrl',
      'UsersGraphqlUrl',
      'UsersUserPoolId',
      'UsersUserPoolClientId',
      'UsersTableName',
      'UsersEventBusName',
      'UsersEventBusArn',
    ]);
    expect(outputs.filter(([, { Description }]) => !Description)).toEqual([]);
  });
});

test('two services can notify the same address about the alarms of one topic', () => {
  const stack = new Stack(new App(), 'App');
  const alarmTopic = new Topic(stack, 'Topic') as UserManagementProps['alarmTopic'];
  for (const id of ['Customers', 'Staff'])
    new UserManagement(stack, id, completeProps({ tableName: id, alarmTopic, alarmEmail: 'ops@example.com' }));
  Template.fromStack(stack).resourceCountIs('AWS::SNS::Subscription', 1);
});

test('a table rejects a replica in another region, where its users would not be unique', () => {
  const stack = new Stack(new App(), 'Data', { env: { region: 'eu-west-1' } });
  const table: TableV2 = new UsersTable(stack, 'Users');
  expect(() => table.addReplica({ region: 'eu-central-1' })).toThrow(
    'Data/Users: the table cannot have replicas: DynamoDB checks conditions in one region only',
  );
});

test('two services in a stack cannot share a table name', () => {
  const stack = new Stack(new App(), 'App');
  new UserManagement(stack, 'Users', completeProps({}));
  expect(() => new UserManagement(stack, 'Staff', completeProps({}))).toThrow(
    'App/Staff: the stack already has a table App-users; set another tableName.',
  );
});
