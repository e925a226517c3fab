import { Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { SettingError } from './settings.ts';

/** https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html, as of November 2026 */
const REGIONS_WITHOUT_FUNCTION_URLS = new Set([
  'ap-east-2',
  'ap-south-2',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-west-1',
  'eu-central-2',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
]);

/**
 * In GovCloud, Lambda has no Function URLs. In China, CloudFormation does not know AWS::Lambda::Url.
 * https://docs.aws.amazon.com/govcloud-us/latest/UserGuide/govcloud-lambda.html
 */
const PARTITIONS_WITHOUT_FUNCTION_URLS = /^(cn|us-gov)-/;

/** Throws SettingError if the stack is for a region that cannot serve GraphQL at a Function URL. An unknown region is left to the deploy. */
export function requireFunctionUrls(scope: Construct): void {
  const region = findRegion(scope);
  if (region && (REGIONS_WITHOUT_FUNCTION_URLS.has(region) || PARTITIONS_WITHOUT_FUNCTION_URLS.test(region)))
    throw new SettingError(
      `The region ${region} has no Lambda Function URLs, so GraphQL cannot be deployed there; choose another region, or subscriptions=web-function, which needs none.`,
    );
}

/** A stack without a region goes to that of the credentials or the profile, which the CDK CLI tells. */
function findRegion(scope: Construct): string | undefined {
  const { region } = Stack.of(scope);
  return Token.isUnresolved(region) ? process.env.CDK_DEFAULT_REGION : region;
}
