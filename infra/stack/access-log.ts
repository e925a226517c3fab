import { Fn } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { type IAccessLogSettings, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Construct } from 'constructs';
import { createLogGroup } from './logs.ts';
import { getStackUuid } from './names.ts';
import type { SharedProps } from './service-function.ts';

/**
 * One line per request, without personal data: the route instead of path and query, which contain ids and, in ?email=,
 * addresses; no caller, as subjects and session names may be addresses. The request line of the function has the caller.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html
 */
export const ACCESS_LOG_FIELDS = {
  time: '$context.requestTime',
  requestId: '$context.requestId',
  route: '$context.routeKey',
  status: '$context.status',
  latency: '$context.responseLatency',
  functionLatency: '$context.integrationLatency',
  error: '$context.error.message',
  functionError: '$context.integrationErrorMessage',
};

/**
 * Logs of other names are listed in the resource policy of CloudWatch Logs, whose length limits how many APIs of a region
 * can have one. The name differs from that of the log group that a deleted stack of the same name has left.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/AWS-logs-and-resource-policy.html
 */
export function createAccessLog(scope: Construct, props: Pick<SharedProps, 'settings' | 'key'>): IAccessLogSettings {
  const suffix = Fn.select(0, Fn.split('-', getStackUuid(scope)));
  const group = createLogGroup(scope, 'access', props, `/aws/vendedlogs/${props.settings.stackName}-${suffix}`);
  return {
    destination: new LogGroupLogDestination(group),
    format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG_FIELDS)),
  };
}
