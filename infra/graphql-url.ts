import { Duration } from 'aws-cdk-lib';
import { FunctionUrlAuthType, HttpMethod, type IFunction, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import type { Settings } from './settings.ts';

/** One URL for queries, mutations and subscriptions. With auth=jwt it is open, and the function asks for the token. */
export const addGraphqlUrl = (graphql: IFunction, { auth, corsOrigins }: Settings) =>
  graphql.addFunctionUrl({
    authType: auth === 'iam' ? FunctionUrlAuthType.AWS_IAM : FunctionUrlAuthType.NONE,
    invokeMode: InvokeMode.RESPONSE_STREAM,
    ...(corsOrigins.length > 0
      ? {
          cors: {
            allowedOrigins: corsOrigins,
            allowedMethods: [HttpMethod.GET, HttpMethod.POST],
            allowedHeaders: ['authorization', 'content-type', 'accept'],
            exposedHeaders: ['retry-after'],
            maxAge: Duration.hours(2),
          },
        }
      : {}),
  });
