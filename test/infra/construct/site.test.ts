import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { Match, type Matcher } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { bundleOpenApiPrinter } from '../../../infra/construct/bundling/bundle.ts';
import type { ConsoleSettings } from '../../../infra/web/console/settings.ts';
import { createApp, folder, placeholders, synthesize } from './synth.ts';

const JWT = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users', console: 'on' };

test('by default nothing of the console is deployed', () => {
  synthesize().resourceCountIs('AWS::CloudFront::Distribution', 0);
  synthesize().resourceCountIs('AWS::S3::Bucket', 0);
});

test('the bucket is private: only CloudFront reads it, over TLS', () => {
  const template = synthesize(JWT);
  template.hasResourceProperties('AWS::S3::Bucket', {
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
  });
  template.hasResourceProperties('AWS::CloudFront::OriginAccessControl', {
    OriginAccessControlConfig: { SigningBehavior: 'always', SigningProtocol: 'sigv4' },
  });
  template.hasResourceProperties('AWS::S3::BucketPolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        Match.objectLike({ Action: 's3:GetObject', Principal: { Service: 'cloudfront.amazonaws.com' } }),
      ]),
    },
  });
});

test.each([
  ['files', JWT],
  ['logs', { ...JWT, siteLogs: 'on' }],
])('the bucket of %s is encrypted, and answers over TLS only', (name, context) => {
  const template = synthesize(context);
  const [id = '', { Properties } = { Properties: {} }] =
    Object.entries(template.findResources('AWS::S3::Bucket')).find(([id]) => id.startsWith(`site${name}`)) ?? [];
  expect(Properties.BucketEncryption).toEqual({
    ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
  });
  template.hasResourceProperties('AWS::S3::BucketPolicy', {
    Bucket: { Ref: id },
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      ]),
    },
  });
});

test('the bucket of files is emptied and deleted with the stack', () => {
  const template = synthesize(JWT);
  template.hasResource('AWS::S3::Bucket', { DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' });
  template.resourceCountIs('Custom::S3AutoDeleteObjects', 1);
});

test('subscriptions may be silent for a minute', () => {
  synthesize(JWT).hasResourceProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: {
      Origins: Match.arrayWith([
        Match.objectLike({
          OriginCustomHeaders: Match.anyValue(),
          CustomOriginConfig: Match.objectLike({ OriginReadTimeout: 60, OriginProtocolPolicy: 'https-only' }),
        }),
      ]),
    },
  });
});

test('the APIs are under the same origin, and are never cached', () => {
  const behaviors = ['/api/users*', '/v1/users*', '/graphql'].map((PathPattern) =>
    Match.objectLike({
      PathPattern,
      ViewerProtocolPolicy: 'https-only',
      // AWS-managed policies: CachingDisabled and AllViewerExceptHostHeader.
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
      OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
      AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
    }),
  );
  synthesize(JWT).hasResourceProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: { DefaultRootObject: 'index.html', CacheBehaviors: Match.arrayWith(behaviors) },
  });
});

const DOMAIN = {
  ...{ auth: 'none', domainName: 'users.example.com' },
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1',
};

test.each([
  ['console', JWT],
  ['domain', DOMAIN],
])('CloudFront caches no errors, which would answer requests of other callers, with a %s', (_, context) => {
  const statuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
  synthesize(context).allResourcesProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: {
      CustomErrorResponses: statuses.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
    },
  });
});

test('with siteLogs, a private bucket keeps the logs of CloudFront for 90 days', () => {
  const template = synthesize({ ...JWT, siteLogs: 'on' });
  const bucket = Match.stringLikeRegexp('^sitelogs');
  template.hasResourceProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: { Logging: { Bucket: { 'Fn::GetAtt': [bucket, 'RegionalDomainName'] } } },
  });
  template.hasResource('AWS::S3::Bucket', {
    DeletionPolicy: 'RetainExceptOnCreate',
    Properties: {
      LifecycleConfiguration: { Rules: [{ ExpirationInDays: 90, Status: 'Enabled' }] },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'ObjectWriter' }] },
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
    },
  });
});

describe('the page', () => {
  const type = 'AWS::CloudFront::ResponseHeadersPolicy';
  const headers = (policies: object) => ({ ResponseHeadersPolicyConfig: { SecurityHeadersConfig: policies } });

  test.each([
    ['its own origin', { auth: 'none', console: 'on' }, "'self'"],
    ['the issuer', { ...JWT, issuer: 'https://issuer.example/pool' }, "'self' https://issuer.example"],
    [
      'the token endpoint elsewhere',
      { ...JWT, consoleTokenOrigin: 'https://token.example' },
      "'self' https://issuer.example https://token.example",
    ],
  ])('may connect to %s, and to nothing else', (_, context, sources) => {
    const policy = { ContentSecurityPolicy: Match.stringLikeRegexp(`connect-src ${sources};`) };
    synthesize(context).hasResourceProperties(type, headers({ ContentSecurityPolicy: policy }));
  });

  test('sends no referrer to other sites', () => {
    synthesize(JWT).hasResourceProperties(type, headers({ ReferrerPolicy: { ReferrerPolicy: 'no-referrer' } }));
  });

  test('is redirected to TLS, and never interpreted as another type', () => {
    const DefaultCacheBehavior = { ViewerProtocolPolicy: 'redirect-to-https' };
    synthesize(JWT).hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: { DefaultCacheBehavior },
    });
    synthesize(JWT).hasResourceProperties(type, headers({ ContentTypeOptions: { Override: true } }));
  });

  test('is only loaded over TLS for a year after a visit', () => {
    const policy = { AccessControlMaxAgeSec: 31_536_000, Override: true };
    synthesize(JWT).hasResourceProperties(type, headers({ StrictTransportSecurity: policy }));
  });
});

test('CloudFront sends the client address to GraphQL, with a key that only both know', () => {
  const template = synthesize(JWT);
  const key = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
  template.hasResourceProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: {
      Origins: Match.arrayWith([
        Match.objectLike({ OriginCustomHeaders: [{ HeaderName: 'x-proxy-key', HeaderValue: key }] }),
      ]),
      CacheBehaviors: Match.arrayWith([
        Match.objectLike({
          PathPattern: '/graphql',
          FunctionAssociations: [{ EventType: 'viewer-request', FunctionARN: Match.anyValue() }],
        }),
      ]),
    },
  });
  const environment = (variables: Matcher) => ({ Handler: 'graphql.handler', Environment: { Variables: variables } });
  template.hasResourceProperties('AWS::Lambda::Function', environment(Match.objectLike({ PROXY_KEY: key })));
  synthesize().hasResourceProperties(
    'AWS::Lambda::Function',
    environment(Match.objectLike({ PROXY_KEY: Match.absent() })),
  );
});

test('the function of CloudFront overwrites the address that a client sends', async () => {
  const [{ Properties } = { Properties: {} }] = Object.values(
    synthesize(JWT).findResources('AWS::CloudFront::Function'),
  );
  const handler = runInNewContext(`${Properties.FunctionCode}; handler`);
  const request = { headers: { 'true-client-ip': { value: '192.0.2.2' }, accept: { value: '*/*' } } };
  expect(await handler({ viewer: { ip: '192.0.2.1' }, request })).toEqual({
    headers: { 'true-client-ip': { value: '192.0.2.1' }, accept: { value: '*/*' } },
  });
});

test("CDK's functions that copy and delete files use the log group of the service", () => {
  const template = synthesize({ ...JWT, logRetentionDays: '60' });
  template.allResourcesProperties('AWS::Lambda::Function', {
    LoggingConfig: { LogGroup: { Ref: Match.anyValue() } },
  });
  template.allResourcesProperties('AWS::Logs::LogGroup', {
    RetentionInDays: 60,
  });
});

test('browsers cache files with a hash in their names, and revalidate all others', () => {
  const template = synthesize(JWT);
  const hashed = ['pages/*/assets/*'];
  template.resourceCountIs('Custom::CDKBucketDeployment', 2);
  template.hasResourceProperties('Custom::CDKBucketDeployment', {
    Exclude: ['*'],
    Include: hashed,
    SystemMetadata: { 'cache-control': 'public, max-age=31536000, immutable' },
    // Old files remain for pages that are open during a deployment.
    Prune: false,
  });
  const [pages] = Object.values(
    template.findResources('Custom::CDKBucketDeployment', {
      Properties: { Exclude: hashed, Prune: true, SystemMetadata: { 'cache-control': 'no-cache' } },
    }),
  );
  // Pages are deployed after the hashed files that they refer to.
  expect(pages?.DependsOn).toContainEqual(expect.stringMatching(/hashedfilesCustomResource/));
});

type OpenApi = {
  servers: unknown;
  components: { schemas: { User: { properties: Record<string, unknown> }; UserSort?: unknown } };
};

function readDeployed<File>(name: string, context: object, bundles?: string): File {
  const { app, outdir } = createApp({ ...JWT, ...context }, bundles);
  app.synth();
  const file = readdirSync(outdir, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith(`/${name}`));
  return JSON.parse(readFileSync(join(outdir, file ?? ''), 'utf8'));
}

const readConsoleSettings = (context: object) => readDeployed<ConsoleSettings>('console.json', context);

describe('the API reference', () => {
  test('is served at /docs', async () => {
    const template = synthesize(JWT);
    const functions = template.findResources('AWS::CloudFront::Function');
    const [id = '', { Properties } = { Properties: {} }] =
      Object.entries(functions).find(([id]) => id.includes('docs')) ?? [];
    const FunctionAssociations = [{ EventType: 'viewer-request', FunctionARN: { 'Fn::GetAtt': [id, 'FunctionARN'] } }];
    template.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: {
        CacheBehaviors: Match.arrayWith([Match.objectLike({ PathPattern: '/docs', FunctionAssociations })]),
      },
    });
    const handler = runInNewContext(`${Properties.FunctionCode}; handler`);
    expect(handler({ request: { uri: '/docs' } })).toEqual({ uri: '/pages/reference/index.html' });
  });

  test('shows the OpenAPI document of this deployment: own fields, orders and URL', async () => {
    const bundles = mkdtempSync(join(folder, 'bundles-'));
    cpSync(placeholders, bundles, { recursive: true });
    await bundleOpenApiPrinter(bundles);
    const domain = {
      domainName: 'users.example.com',
      certificateArn: 'arn:aws:acm:us-east-1:222222222222:certificate/1',
    };
    const read = (context: object) => readDeployed<OpenApi>('openapi.json', { ...domain, ...context }, bundles);
    const plan = { type: 'string', enum: ['free', 'pro'], filter: true };
    const document = read({ fields: { plan }, sortByName: 'off' });
    expect(document.servers).toEqual([{ url: 'https://users.example.com' }]);
    expect(document.components.schemas.User.properties).toHaveProperty('plan');
    expect(document.components.schemas).not.toHaveProperty('UserSort');
    const plain = read({});
    expect(plain.components.schemas.User.properties).not.toHaveProperty('plan');
    expect(plain.components.schemas.UserSort).toMatchObject({ enum: ['name'] });
  });
});

test('the console gets the own fields', () => {
  const fields = { nickname: { type: 'string', unique: true } };
  expect(readConsoleSettings({ fields }).fields).toEqual([{ ...fields.nickname, name: 'nickname' }]);
});

test.each([
  [{}, { sortByName: true, changes: 'live' }],
  [
    { sortByName: 'off', maxStreams: 0, events: 'on' },
    { sortByName: false, changes: 'kept' },
  ],
  [
    { maxStreams: 0, historyDays: 30 },
    { sortByName: true, changes: 'kept' },
  ],
  [{ maxStreams: 0 }, { sortByName: true, changes: 'none' }],
])('the console is told what settings such as %o turn off', (context, offer) => {
  expect(readConsoleSettings(context).offer).toEqual(offer);
});

test('the console gets the issuer, client and scopes for signing in', () => {
  const signIn = { kind: 'sign-in', issuer: JWT.issuer, audience: 'users', clientId: 'users' };
  expect(readConsoleSettings({}).auth).toEqual({
    ...signIn,
    scope: 'openid users:read users:history users:write',
    writeScope: 'users:write',
    historyScope: 'users:history',
    eraseScope: 'users:erase',
  });
  const names = {
    consoleClientId: 'console',
    readScope: 'Users.Read',
    listScope: 'Users.List',
    historyScope: 'Users.History',
    writeScope: 'Users.Write',
    writeGroup: 'Editors',
  };
  expect(readConsoleSettings(names).auth).toEqual({
    ...signIn,
    clientId: 'console',
    scope: 'openid Users.Read Users.List Users.History Users.Write',
    writeScope: 'Users.Write',
    historyScope: 'Users.History',
    eraseScope: 'users:erase',
    writeGroup: { claim: 'groups', name: 'Editors' },
  });
  expect(readConsoleSettings({ consoleScope: 'openid api://users/Users.Read' }).auth).toMatchObject({
    scope: 'openid api://users/Users.Read',
  });
});
