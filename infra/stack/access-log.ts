import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { type IAccessLogSettings, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';

/**
 * One line per request. It has the route instead of path and query, which contain ids and, in ?email=, addresses.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html
 */
const FIELDS = {
  time: '$context.requestTime',
  requestId: '$context.requestId',
  route: '$context.routeKey',
  status: '$context.status',
  subject: '$context.authorizer.claims.sub',
  client: '$context.authorizer.claims.client_id',
  identity: '$context.identity.userArn',
  latency: '$context.responseLatency',
  functionLatency: '$context.integrationLatency',
  error: '$context.error.message',
  functionError: '$context.integrationErrorMessage',
};

export const createAccessLog = (group: ILogGroup): IAccessLogSettings => ({
  destination: new LogGroupLogDestination(group),
  format: AccessLogFormat.custom(JSON.stringify(FIELDS)),
});
