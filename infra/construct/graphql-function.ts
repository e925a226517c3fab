import { Duration } from 'aws-cdk-lib';
import {
  type FunctionUrl,
  FunctionUrlAuthType,
  type FunctionUrlCorsOptions,
  HttpMethod,
  type IFunction,
  InvokeMode,
} from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { GRAPHQL_REQUEST_HEADERS, GRAPHQL_RESPONSE_HEADERS } from './cors.ts';
import { ServiceFunction, type SharedProps } from './service-function.ts';

/** The function that serves queries, mutations and subscriptions. */
export class GraphqlFunction extends ServiceFunction {
  constructor(scope: Construct, shared: SharedProps) {
    const { issuer, audience, maxStreams, maxStreamsPerCaller, graphqlConcurrency, console } = shared.settings;
    super(scope, 'graphql', shared, {
      // A subscription lasts up to 90 s.
      timeout: Duration.seconds(120),
      ...(graphqlConcurrency ? { reservedConcurrentExecutions: graphqlConcurrency } : {}),
      environment: {
        MAX_STREAMS: String(maxStreams),
        ...(maxStreamsPerCaller ? { MAX_STREAMS_PER_CALLER: String(maxStreamsPerCaller) } : {}),
        ...(console ? { PROXY_KEY: shared.stackUuid } : {}),
        ...(issuer && audience ? { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } : {}),
      },
    });
  }
}

/** One URL for queries, mutations and subscriptions. With auth=jwt the URL is open and the function checks the token. */
export const addGraphqlUrl = (graphql: IFunction, { auth, corsOrigins }: Settings): FunctionUrl =>
  graphql.addFunctionUrl({
    authType: auth === 'iam' ? FunctionUrlAuthType.AWS_IAM : FunctionUrlAuthType.NONE,
    invokeMode: InvokeMode.RESPONSE_STREAM,
    ...(corsOrigins.length > 0 ? { cors: createCorsOptions(corsOrigins) } : {}),
  });

const createCorsOptions = (allowedOrigins: string[]): FunctionUrlCorsOptions => ({
  allowedOrigins,
  allowedMethods: [HttpMethod.GET, HttpMethod.POST],
  allowedHeaders: GRAPHQL_REQUEST_HEADERS,
  exposedHeaders: GRAPHQL_RESPONSE_HEADERS,
  maxAge: Duration.hours(2),
});
