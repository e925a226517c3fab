import { type CfnResource, Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
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
import { Construct } from 'constructs';
import { CLIENT_ADDRESS_HEADER, PROXY_KEY_HEADER } from '../../lib/auth/client-address.ts';
import { responseFormats } from '../../lib/rest/response-formats.ts';
import type { Settings } from '../settings.ts';
import { createContentSecurityPolicy } from '../web/pages.ts';
import { acknowledgeConsoleChecks } from './console-checks.ts';
import { createLogGroup } from './logs.ts';
import { createGlobalName, getStackUuid } from './names.ts';
import type { SharedProps } from './service-function.ts';

type Props = Pick<SharedProps, 'settings' | 'key'> & { files: string; api: HttpApi; graphqlUrl: FunctionUrl };

/**
 * The console on CloudFront: its files from a private bucket, and the APIs under the same origin, so that the build of
 * the local service runs unchanged and needs no CORS.
 */
export class Console extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, { settings, key, files, api, graphqlUrl }: Props) {
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
      customHeaders: { [PROXY_KEY_HEADER]: getStackUuid(this) },
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

/** What the page fetches to sign in: the configuration of the issuer, and the token. */
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
