import { type CfnElement, type CfnResource, Duration, Fn, Names, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Function as CloudFrontFunction,
  Distribution,
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
import type { FunctionUrl } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct, type IConstruct } from 'constructs';
import { CLIENT_ADDRESS_HEADER, PROXY_KEY_HEADER } from '../../lib/auth/caller.ts';
import { responseFormats } from '../../lib/rest/responses.ts';
import type { Settings } from '../settings.ts';
import { createContentSecurityPolicy } from '../web/pages.ts';
import { createLogGroup } from './logs.ts';
import type { SharedProps } from './service-function.ts';

type Props = Pick<SharedProps, 'settings' | 'key' | 'stackUuid'> & {
  files: string;
  api: HttpApi;
  graphqlUrl: FunctionUrl;
};

/**
 * CloudFront serves the console: its files from a private bucket, and the APIs under the same origin, so that the build
 * of the local service runs unchanged and needs no CORS.
 */
export class Console extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, { settings, key, stackUuid, files, api, graphqlUrl }: Props) {
    super(scope, id);
    const bucket = new Bucket(this, 'files', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // It holds nothing but the build.
      removalPolicy: RemovalPolicy.DESTROY,
      autoDeleteObjects: true,
      // Bucket lacks `| undefined` where its interface has it.
    }) as IBucket;
    const { region, urlSuffix } = Stack.of(this);
    const rest = forward(new HttpOrigin(`${api.apiId}.execute-api.${region}.${urlSuffix}`));
    // https://<id>.lambda-url.<region>.on.aws/
    const functionUrl = new HttpOrigin(Fn.select(2, Fn.split('/', graphqlUrl.url)), {
      readTimeout: Duration.seconds(60),
      customHeaders: { [PROXY_KEY_HEADER]: stackUuid },
    });
    const graphql = {
      ...forward(functionUrl),
      functionAssociations: [{ function: this.#createAddressFunction(), eventType: FunctionEventType.VIEWER_REQUEST }],
    };
    const distribution = new Distribution(this, 'distribution', {
      comment: `Console of ${settings.stackName}`,
      defaultRootObject: 'index.html',
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(bucket, {
          originAccessControl: new S3OriginAccessControl(this, 'access', {
            originAccessControlName: createGlobalName(this, 'files'),
          }),
        }),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        responseHeadersPolicy: this.#createHeaders(settings),
      },
      additionalBehaviors: {
        ...Object.fromEntries(responseFormats.map(({ path }) => [`${path}*`, rest])),
        '/graphql': graphql,
      },
    });
    const logGroup = createLogGroup(this, 'file-logs', { settings, key });
    new BucketDeployment(this, 'deployment', {
      destinationBucket: bucket,
      logGroup,
      // CloudFront and browsers ask whether a file has changed: no invalidation is needed.
      cacheControl: [CacheControl.noCache()],
      sources: [Source.asset(files)],
    });
    logDeletions(this, logGroup);
    acknowledgeConsoleChecks(this, bucket, distribution);
    this.url = `https://${distribution.distributionDomainName}/`;
  }

  /** Tells the origin the address of the client. Headers of the client with that name are overwritten. */
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

  #createHeaders(settings: Settings): ResponseHeadersPolicy {
    const override = true;
    return new ResponseHeadersPolicy(this, 'headers', {
      responseHeadersPolicyName: createGlobalName(this, 'headers'),
      securityHeadersBehavior: {
        contentSecurityPolicy: {
          contentSecurityPolicy: createContentSecurityPolicy(listSignInOrigins(settings)),
          override,
        },
        contentTypeOptions: { override },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override },
      },
    });
  }
}

/** CloudFront's limit, less the longest name of a region, such as ap-northeast-3. */
const MAX_NAME_LENGTH = 64 - 14;

/** Names what belongs to the account and not to a region: the name is unique among all stacks in all regions. */
function createGlobalName(scope: Construct, id: string): string {
  const maxLength = MAX_NAME_LENGTH - `-${id}-`.length;
  return `${Names.uniqueResourceName(scope, { maxLength, separator: '-' })}-${id}-${Stack.of(scope).region}`;
}

/** The page fetches the configuration of the issuer, and the token, from these to sign in. */
function listSignInOrigins({ issuer, consoleTokenOrigin }: Settings): string[] {
  if (!issuer) return [];
  const { origin } = new URL(issuer);
  return [...new Set([origin, consoleTokenOrigin ?? origin])];
}

/** CDK has no property for the log group of the function that empties the bucket before it is deleted. */
function logDeletions(scope: Construct, { logGroupName }: LogGroup): void {
  const provider = Stack.of(scope).node.findChild('Custom::S3AutoDeleteObjectsCustomResourceProvider');
  (provider.node.findChild('Handler') as CfnResource).addPropertyOverride('LoggingConfig', { LogGroup: logGroupName });
}

/** Passes requests on with their headers, and never caches. */
const forward = (origin: IOrigin): BehaviorOptions => ({
  origin,
  viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
  allowedMethods: AllowedMethods.ALLOW_ALL,
  cachePolicy: CachePolicy.CACHING_DISABLED,
  originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
});

/** Why checks of AwsSolutions do not apply to the console. */
function acknowledgeConsoleChecks(scope: Construct, bucket: IBucket, distribution: Distribution): void {
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'The bucket holds a public build; CloudTrail records writes.',
  });
  Validations.of(distribution).acknowledge(
    { id: 'AwsSolutions-CFR1', reason: 'Users of the console may be anywhere.' },
    {
      id: 'AwsSolutions-CFR2',
      reason: 'The APIs authorize and throttle every request; a web ACL is a choice of the operator.',
    },
    { id: 'AwsSolutions-CFR3', reason: 'The APIs log their requests; requests for the build say nothing.' },
    {
      id: 'AwsSolutions-CFR4',
      reason: 'The default certificate of CloudFront has no later protocol; a domain is a choice of the operator.',
    },
  );
  const { node } = Stack.of(scope);
  for (const child of node.children) if (child.node.id.startsWith('Custom::')) acknowledgeCdkFunction(child, bucket);
}

/** The functions that CDK itself adds to copy and delete the files. */
function acknowledgeCdkFunction(child: IConstruct, bucket: IBucket): void {
  // The first child of a bucket is its CloudFormation resource.
  const name = Stack.of(child).getLogicalId(bucket.node.defaultChild as CfnElement);
  const actions = ['GetObject', 'GetBucket', 'List', 'DeleteObject', 'Abort'].map((action) => `Action::s3:${action}*`);
  const assets = 'Resource::arn:<AWS::Partition>:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-<AWS::Region>/*';
  Validations.of(child).acknowledge(
    {
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]',
      reason: 'CDK grants its function only to write logs with this policy.',
    },
    ...[...actions, assets, `Resource::<${name}.Arn>/*`].map((finding) => ({
      id: `AwsSolutions-IAM5[${finding}]`,
      reason: 'CDK grants its function the objects of the asset and of the bucket.',
    })),
    { id: 'AwsSolutions-L1', reason: 'CDK chooses the runtime of its function.' },
  );
}
