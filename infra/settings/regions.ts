import { Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { SettingError, type Settings } from './settings.ts';

/**
 * As of November 2026, by cfn-lint's data and https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html.
 * AWS::EventSchemas is missing in some of these, and in no other region.
 */
const REGIONS_WITHOUT_FUNCTION_URLS = [
  'ap-east-2',
  'ap-south-2',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-west-1',
  'cn-north-1',
  'cn-northwest-1',
  'eu-central-2',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
  'mx-central-1',
  'us-gov-east-1',
  'us-gov-west-1',
];

/** Data of cfn-lint: AWS documents no regions of AWS::Lambda::WebFunction. */
const REGIONS_WITHOUT_WEB_FUNCTIONS = [
  ...REGIONS_WITHOUT_FUNCTION_URLS,
  ...['af-south-1', 'ap-east-1', 'ap-southeast-3', 'eu-south-1'],
];

type Server = Settings['subscriptions'];

/** `npm run check:template` compares these with cfn-lint's data. */
export const unsupportedRegions: Record<Server, readonly string[]> = {
  'function-url': REGIONS_WITHOUT_FUNCTION_URLS,
  'web-function': REGIONS_WITHOUT_WEB_FUNCTIONS,
};

const NAMES: Record<Server, string> = { 'function-url': 'Function URLs', 'web-function': 'Web Functions' };

/** Throws SettingError if the region is known and lacks what serves GraphQL. */
export function requireGraphqlServer(scope: Construct, server: Server): void {
  const region = findRegion(scope);
  if (!region || !unsupportedRegions[server].includes(region)) return;
  const other = server === 'function-url' ? 'web-function' : 'function-url';
  const alternative = unsupportedRegions[other].includes(region) ? '' : `, or subscriptions=${other}`;
  throw new SettingError(
    `The region ${region} has no Lambda ${NAMES[server]}, so GraphQL cannot be deployed there. Choose another region${alternative}.`,
  );
}

/** Later regions are opt-in regions. */
const REGIONS_ENABLED_BY_DEFAULT = [
  ...['ap-northeast-1', 'ap-northeast-2', 'ap-northeast-3', 'ap-south-1', 'ap-southeast-1', 'ap-southeast-2'],
  ...['ca-central-1', 'eu-central-1', 'eu-north-1', 'eu-west-1', 'eu-west-2', 'eu-west-3'],
  ...['sa-east-1', 'us-east-1', 'us-east-2', 'us-west-1', 'us-west-2'],
];

/**
 * CloudFront cannot write logs to buckets of opt-in regions:
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logging-legacy-s3.html
 */
export function requireSiteLogs(scope: Construct): void {
  const region = findRegion(scope);
  if (region && !REGIONS_ENABLED_BY_DEFAULT.includes(region))
    throw new SettingError(
      `CloudFront cannot write siteLogs to the opt-in region ${region}. Turn siteLogs off, or choose another region.`,
    );
}

/** Falls back to the region of the credentials or profile, which the CDK CLI passes. */
function findRegion(scope: Construct): string | undefined {
  const { region } = Stack.of(scope);
  return Token.isUnresolved(region) ? process.env.CDK_DEFAULT_REGION : region;
}
