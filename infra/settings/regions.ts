import { Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { SettingError } from './settings.ts';

/** As of November 2026: https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html */
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
 * GovCloud has no Function URLs. CloudFormation in China lacks AWS::Lambda::Url.
 * https://docs.aws.amazon.com/govcloud-us/latest/UserGuide/govcloud-lambda.html
 */
const PARTITIONS_WITHOUT_FUNCTION_URLS = /^(cn|us-gov)-/;

/** Throws SettingError if the region is known and has no Function URLs. */
export function requireFunctionUrls(scope: Construct): void {
  const region = findRegion(scope);
  if (region && (REGIONS_WITHOUT_FUNCTION_URLS.has(region) || PARTITIONS_WITHOUT_FUNCTION_URLS.test(region)))
    throw new SettingError(
      `The region ${region} has no Lambda Function URLs, so GraphQL cannot be deployed there. Choose another region, or subscriptions=web-function.`,
    );
}

/** Falls back to the region of the credentials or profile, which the CDK CLI passes. */
function findRegion(scope: Construct): string | undefined {
  const { region } = Stack.of(scope);
  return Token.isUnresolved(region) ? process.env.CDK_DEFAULT_REGION : region;
}
