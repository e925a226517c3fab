import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type CfnResource, Duration, Fn, Names, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Function as CloudFrontFunction,
  Distribution,
  type FunctionAssociation,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersReferrerPolicy,
  type IOrigin,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { CLIENT_ADDRESS_HEADER, PROXY_KEY_HEADER } from '../../lib/auth/caller.ts';
import { responseFormats } from '../../lib/rest/responses.ts';
import { type ConsoleSettings, createDeployedSettings, type Offer } from '../web/console/settings.ts';
import { createContentSecurityPolicy } from '../web/pages.ts';
import { acknowledge, acknowledgeCopier } from './acknowledge.ts';
import type { Configuration } from './configuration.ts';
import { OPENAPI_PRINTER } from './grants.ts';
import type { UserManagementProps } from './props.ts';
import { createSettingVariables, keepsChangeLog, type SharedProps } from './service-function.ts';

type Props = SharedProps &
  Pick<UserManagementProps, 'certificate'> & {
    api: HttpApi;
    graphqlHost: string;
  };

export const hasSite = ({ console, domainName }: Pick<Configuration, 'console' | 'domainName'>): boolean =>
  console || domainName !== undefined;

const SITE_LOG_DAYS = 90;

export const REFERENCE_PAGE = 'pages/reference/index.html';

const MAX_DOCUMENT_BYTES = 10_000_000;

/** Vite adds a hash of the content to these names. */
const HASHED_FILES = 'pages/*/assets/*';

/**
 * CloudFront allows error responses for these statuses. Its default ignores `no-store`, and caches 5xx for ten seconds. The
 * cache key has no token and no query, so a cached 503 would answer all callers.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/custom-error-pages-expiration.html
 */
const ERROR_STATUSES = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** APIs and console have one origin, so the console needs no CORS. */
export class Site extends Construct {
  readonly url: string;
  readonly distribution: Distribution;

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id);
    const { name, stackUuid, api, graphqlHost, domainName, certificate } = props;
    const { region, urlSuffix } = Stack.of(this);
    const rest = forward(new HttpOrigin(`${api.apiId}.execute-api.${region}.${urlSuffix}`));
    const graphqlOrigin = new HttpOrigin(graphqlHost, {
      readTimeout: Duration.seconds(60),
      customHeaders: { [PROXY_KEY_HEADER]: stackUuid },
    });
    const graphql = {
      ...forward(graphqlOrigin),
      functionAssociations: [{ function: this.#createAddressFunction(), eventType: FunctionEventType.VIEWER_REQUEST }],
    };
    const bucket = props.console ? this.#createBucket() : undefined;
    const files = bucket && this.#serveFiles(bucket, props);
    this.distribution = new Distribution(this, 'distribution', {
      comment: `User Management Service ${name}`,
      ...(domainName && certificate ? { domainNames: [domainName], certificate } : {}),
      ...(props.siteLogs ? { enableLogging: true, logBucket: this.#createLogBucket() } : {}),
      ...(bucket ? { defaultRootObject: 'index.html' } : {}),
      errorResponses: ERROR_STATUSES.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      defaultBehavior: files ?? rest,
      additionalBehaviors: {
        ...Object.fromEntries(responseFormats.map(({ path }) => [`${path}*`, rest])),
        '/graphql': graphql,
        ...(files ? { '/docs': { ...files, functionAssociations: this.#rewriteTo(REFERENCE_PAGE) } } : {}),
      },
    });
    acknowledgeSiteChecks(this.distribution, props);
    this.url = `https://${domainName ?? this.distribution.distributionDomainName}/`;
    if (bucket) this.#deployFiles(bucket, props);
  }

  #createBucket(): IBucket {
    return new Bucket(this, 'files', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.DESTROY,
      autoDeleteObjects: true,
      // Cast: CDK's types do not satisfy `exactOptionalPropertyTypes`.
    }) as IBucket;
  }

  /** CloudFront writes access logs by ACL, so ACLs must be enabled. Logs contain IP addresses. */
  #createLogBucket(): IBucket {
    const bucket = new Bucket(this, 'logs', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.OBJECT_WRITER,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [{ expiration: Duration.days(SITE_LOG_DAYS) }],
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    acknowledge(bucket, { id: 'AwsSolutions-S1', reason: 'The bucket holds logs of requests itself.' });
    // Cast: CDK's types do not satisfy `exactOptionalPropertyTypes`.
    return bucket as IBucket;
  }

  #serveFiles(bucket: IBucket, props: Props): BehaviorOptions {
    return {
      origin: S3BucketOrigin.withOriginAccessControl(bucket, {
        originAccessControl: new S3OriginAccessControl(this, 'access', {
          originAccessControlName: createGlobalName(this, 'files'),
        }),
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      responseHeadersPolicy: this.#createHeaders(props),
    };
  }

  #deployFiles(bucket: IBucket, props: Props): void {
    const common = { destinationBucket: bucket, logGroup: props.logGroup };
    const files = Source.asset(join(props.bundles, 'site'));
    const hashed = new BucketDeployment(this, 'hashed-files', {
      ...common,
      sources: [files],
      exclude: ['*'],
      include: [HASHED_FILES],
      cacheControl: [CacheControl.setPublic(), CacheControl.maxAge(Duration.days(365)), CacheControl.immutable()],
      // Open pages may still load files of earlier versions.
      prune: false,
    });
    const deployment = new BucketDeployment(this, 'deployment', {
      ...common,
      sources: [
        files,
        // Resolves values that are known only at deployment, such as the id of a user pool.
        Source.jsonData('console.json', createConsoleSettings(props)),
        Source.jsonData('openapi.json', createOpenApiDocument(props, this.url)),
      ],
      exclude: [HASHED_FILES],
      // Caches must revalidate these files on each use.
      cacheControl: [CacheControl.noCache()],
    });
    deployment.node.addDependency(hashed);
    logDeletions(this, props.logGroup);
    acknowledgeFileChecks(this, bucket);
  }

  /** Passes the client's IP address to the APIs. Overwrites the header if the client sent it. */
  #createAddressFunction(): CloudFrontFunction {
    return new CloudFrontFunction(this, 'address', {
      functionName: createGlobalName(this, 'address'),
      comment: 'Adds the address of the client to requests',
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline(`async function handler({ request, viewer }) {
  request.headers['${CLIENT_ADDRESS_HEADER}'] = { value: viewer.ip };
  return request;
}`),
    });
  }

  /** Serves `file` for other paths, because S3 only finds exact file names. */
  #rewriteTo(file: string): FunctionAssociation[] {
    const rewrite = new CloudFrontFunction(this, 'docs', {
      functionName: createGlobalName(this, 'docs'),
      comment: `Serves ${file}`,
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline(`function handler({ request }) {
  request.uri = '/${file}';
  return request;
}`),
    });
    return [{ function: rewrite, eventType: FunctionEventType.VIEWER_REQUEST }];
  }

  #createHeaders(props: Props): ResponseHeadersPolicy {
    const override = true;
    return new ResponseHeadersPolicy(this, 'headers', {
      responseHeadersPolicyName: createGlobalName(this, 'headers'),
      securityHeadersBehavior: {
        contentSecurityPolicy: {
          contentSecurityPolicy: createContentSecurityPolicy(listSignInOrigins(props)),
          override,
        },
        contentTypeOptions: { override },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override },
      },
    });
  }
}

/** CloudFront's limit of a name, minus 14 characters for the longest region name, such as ap-northeast-3. */
const MAX_NAME_LENGTH = 64 - 14;

/** Unique in the account across all regions. */
export function createGlobalName(scope: Construct, id: string): string {
  const maxLength = MAX_NAME_LENGTH - `-${id}-`.length;
  return `${Names.uniqueResourceName(scope, { maxLength, separator: '-' })}-${id}-${Stack.of(scope).region}`;
}

/**
 * Uses a separate process: lib/ reads own fields and variables once per process, and an app can have several services.
 */
function createOpenApiDocument(props: Props, url: string): object {
  const printed = execFileSync(process.execPath, [join(props.bundles, `${OPENAPI_PRINTER}.mjs`)], {
    input: JSON.stringify(props.fields),
    // The program sends no requests, so the AWS SDK's warning about Node.js 20 does not apply.
    env: {
      ...createSettingVariables('every function', props),
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
    encoding: 'utf8',
    maxBuffer: MAX_DOCUMENT_BYTES,
  });
  return { ...JSON.parse(printed), servers: [{ url: url.replace(/\/$/, '') }] };
}

function createConsoleSettings(props: Props): ConsoleSettings {
  const { fields, graphql, requiredGroups: groups, consoleClientId, consoleScope, sortByName } = props;
  const keptChanges = keepsChangeLog(props) ? 'kept' : 'none';
  const offer: Offer = { sortByName, changes: props.maxStreams > 0 ? 'live' : keptChanges };
  if (typeof graphql === 'string') return createDeployedSettings(fields, offer);
  const { issuer, audience, scopes } = graphql;
  const first = Fn.select(0, audience);
  return createDeployedSettings(fields, offer, {
    issuer,
    clientId: consoleClientId ?? first,
    audience: first,
    writeScope: scopes.write,
    historyScope: scopes.history,
    eraseScope: scopes.erase,
    ...(groups.write ? { writeGroup: { claim: groups.claim, name: groups.write } } : {}),
    scope: consoleScope ?? ['openid', ...new Set([scopes.read, scopes.list, scopes.history, scopes.write])].join(' '),
  });
}

function listSignInOrigins({ graphql, consoleTokenOrigin }: Props): string[] {
  if (typeof graphql === 'string') return [];
  const origin = getOrigin(graphql.issuer);
  return [...new Set([origin, consoleTokenOrigin ?? origin])];
}

/** The URL of a new user pool is a CDK token, which only CloudFormation can split. */
const getOrigin = (url: string): string =>
  Token.isUnresolved(url) ? `https://${Fn.select(2, Fn.split('/', url))}` : new URL(url).origin;

/** Makes CDK's function that deletes objects log to this group. CDK has no property for it. */
function logDeletions(scope: Construct, { logGroupName }: LogGroup): void {
  const provider = Stack.of(scope).node.findChild('Custom::S3AutoDeleteObjectsCustomResourceProvider');
  (provider.node.findChild('Handler') as CfnResource).addPropertyOverride('LoggingConfig', { LogGroup: logGroupName });
}

const forward = (origin: IOrigin): BehaviorOptions => ({
  origin,
  viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
  allowedMethods: AllowedMethods.ALLOW_ALL,
  cachePolicy: CachePolicy.CACHING_DISABLED,
  originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
});

const acknowledgeSiteChecks = (distribution: Distribution, { siteLogs }: Props): void =>
  acknowledge(
    distribution,
    { id: 'AwsSolutions-CFR1', reason: 'Users may be anywhere.' },
    {
      id: 'AwsSolutions-CFR2',
      reason: 'The APIs authorize and throttle every request; a web ACL is a choice of the operator.',
    },
    ...(siteLogs
      ? []
      : [{ id: 'AwsSolutions-CFR3', reason: 'The APIs log their requests; requests for the build say nothing.' }]),
    {
      id: 'AwsSolutions-CFR4',
      reason: 'The default certificate of CloudFront has no later protocol; a domain is a choice of the operator.',
    },
  );

const CDK_FUNCTIONS = /^Custom::(CDKBucketDeployment|S3AutoDeleteObjects)/;

function acknowledgeFileChecks(scope: Construct, bucket: IBucket): void {
  acknowledge(bucket, { id: 'AwsSolutions-S1', reason: 'The bucket holds a public build; CloudTrail records writes.' });
  for (const child of Stack.of(scope).node.children.filter(({ node }) => CDK_FUNCTIONS.test(node.id))) {
    acknowledgeCopier(child, bucket, '/*', ['GetObject', 'GetBucket', 'List', 'DeleteObject', 'Abort']);
    acknowledge(child, { id: 'AwsSolutions-L1', reason: 'CDK chooses the runtime of its function.' });
  }
}
