import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { type IAccessLogSettings, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';

/**
 * One line per request, without personal data: the route instead of path and query, which contain ids and, in ?email=,
 * addresses; no caller, as subjects and session names may be addresses. The request line of the function has the caller.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html
 */
const FIELDS = {
  time: '$context.requestTime',
  requestId: '$context.requestId',
  route: '$context.routeKey',
  status: '$context.status',
  latency: '$context.responseLatency',
  functionLatency: '$context.integrationLatency',
  error: '$context.error.message',
  functionError: '$context.integrationErrorMessage',
};

export const createAccessLog = (group: ILogGroup): IAccessLogSettings => ({
  destination: new LogGroupLogDestination(group),
  format: AccessLogFormat.custom(JSON.stringify(FIELDS)),
});
