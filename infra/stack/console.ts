import { Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  type IOrigin,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { FunctionUrl } from 'aws-cdk-lib/aws-lambda';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { responseFormats } from '../../lib/rest/response-formats.ts';
import type { Settings } from '../settings.ts';
import { createContentSecurityPolicy } from '../web/pages.ts';
import { acknowledgeConsoleChecks } from './console-checks.ts';

type Props = { settings: Settings; files: string; api: HttpApi; graphqlUrl: FunctionUrl };

/**
 * The console on CloudFront: its files from a private bucket, and the APIs under the same origin, so that the build of
 * the local service runs unchanged and needs no CORS.
 */
export class Console extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, { settings, files, api, graphqlUrl }: Props) {
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
    const graphql = forward(
      new HttpOrigin(Fn.select(2, Fn.split('/', graphqlUrl.url)), { readTimeout: Duration.seconds(60) }),
    );
    const distribution = new Distribution(this, 'distribution', {
      comment: `Console of ${settings.stackName}`,
      defaultRootObject: 'index.html',
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(bucket),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        responseHeadersPolicy: this.#createHeaders(settings),
      },
      additionalBehaviors: {
        ...Object.fromEntries(responseFormats.map(({ path }) => [`${path}*`, rest])),
        '/graphql': graphql,
      },
    });
    new BucketDeployment(this, 'deployment', {
      destinationBucket: bucket,
      // CloudFront and browsers ask whether a file has changed: no invalidation is needed.
      cacheControl: [CacheControl.noCache()],
      sources: [Source.asset(files)],
    });
    acknowledgeConsoleChecks(this, bucket, distribution);
    this.url = `https://${distribution.distributionDomainName}/`;
  }

  #createHeaders({ issuer }: Settings): ResponseHeadersPolicy {
    const override = true;
    return new ResponseHeadersPolicy(this, 'headers', {
      securityHeadersBehavior: {
        contentSecurityPolicy: {
          contentSecurityPolicy: createContentSecurityPolicy(issuer ? ['https:'] : []),
          override,
        },
        contentTypeOptions: { override },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override },
      },
    });
  }
}

/** Passes requests on with their headers, and never caches. */
const forward = (origin: IOrigin) => ({
  origin,
  viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
  allowedMethods: AllowedMethods.ALLOW_ALL,
  cachePolicy: CachePolicy.CACHING_DISABLED,
  originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
});
