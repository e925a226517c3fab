import { Duration, Fn } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import {
  FunctionUrlAuthType,
  type FunctionUrlCorsOptions,
  HttpMethod,
  type IFunction,
  InvokeMode,
} from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { GRAPHQL_METHODS, GRAPHQL_REQUEST_HEADERS, GRAPHQL_RESPONSE_HEADERS } from '../../lib/cors.ts';
import { type GraphqlMetrics, perMinute, sumPerMinute } from './alarms.ts';
import type { Tokens } from './configuration.ts';
import {
  createAuthorizerVariables,
  createLogVariables,
  createRightVariables,
  createSettingVariables,
  ServiceFunction,
  type SharedProps,
} from './service-function.ts';
import { hasSite } from './site.ts';

export type GraphqlEndpoint = {
  url: string;
  host: string;
  grantInvoke(grantee: IGrantable): Grant;
};

export class GraphqlFunction extends ServiceFunction {
  constructor(scope: Construct, shared: SharedProps) {
    const { graphql, graphqlConcurrency, functionProps } = shared;
    super(scope, 'graphql', shared, {
      ...functionProps,
      // Subscriptions last up to 90 s.
      timeout: Duration.seconds(120),
      ...(typeof graphqlConcurrency === 'number' ? { reservedConcurrentExecutions: graphqlConcurrency } : {}),
      environment: {
        ...functionProps?.environment,
        ...createGraphqlVariables(shared),
        // Lambda itself verifies IAM. The function verifies tokens.
        ...createAuthorizerVariables(graphql === 'iam' ? 'iam' : undefined, shared),
      },
    });
  }
}

/** `latency` is the median: higher percentiles would include subscriptions. */
export const measureGraphqlUrl = (graphql: GraphqlFunction): GraphqlMetrics => ({
  serverErrors: graphql.metric('Url5xxCount', sumPerMinute),
  throttles: graphql.metricThrottles(sumPerMinute),
  latency: graphql.metric('UrlRequestLatency', { ...perMinute, statistic: 'p50' }),
});

export const createGraphqlVariables = (shared: SharedProps): Record<string, string> => {
  const { graphql } = shared;
  return {
    ...createSettingVariables('GraphQL', shared),
    ...createLogVariables(shared),
    ...(hasSite(shared) ? { PROXY_KEY: shared.stackUuid } : {}),
    ...(typeof graphql === 'string'
      ? {}
      : { ...createTokenVariables(graphql), ...createRightVariables(graphql, shared) }),
  };
};

export const createTokenVariables = ({ issuer, audience }: Tokens) => ({
  AUTH_ISSUER: issuer,
  AUTH_AUDIENCE: Fn.join(',', audience),
});

/** For tokens, the URL is open and the function verifies them. */
export function addGraphqlUrl(live: IFunction, { graphql, corsOrigins }: SharedProps): GraphqlEndpoint {
  const { url } = live.addFunctionUrl({
    authType: graphql === 'iam' ? FunctionUrlAuthType.AWS_IAM : FunctionUrlAuthType.NONE,
    invokeMode: InvokeMode.RESPONSE_STREAM,
    ...(corsOrigins.length > 0 ? { cors: createCorsOptions(corsOrigins) } : {}),
  });
  const resourceArns = [live.functionArn];
  const grantInvoke = (grantee: IGrantable) =>
    Grant.addToPrincipal({ grantee, actions: ['lambda:InvokeFunctionUrl'], resourceArns }).combine(
      Grant.addToPrincipal({
        grantee,
        actions: ['lambda:InvokeFunction'],
        resourceArns,
        // Otherwise callers could invoke the function directly, with an event that names another caller.
        conditions: { Bool: { 'lambda:InvokedViaFunctionUrl': 'true' } },
      }),
    );
  // https://<id>.lambda-url.<region>.on.aws/
  return { url, host: Fn.select(2, Fn.split('/', url)), grantInvoke };
}

const createCorsOptions = (allowedOrigins: string[]): FunctionUrlCorsOptions => ({
  allowedOrigins,
  allowedMethods: GRAPHQL_METHODS.map((method) => HttpMethod[method]),
  allowedHeaders: GRAPHQL_REQUEST_HEADERS,
  exposedHeaders: GRAPHQL_RESPONSE_HEADERS,
  maxAge: Duration.hours(2),
});
