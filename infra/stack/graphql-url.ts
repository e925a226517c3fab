import { Duration } from 'aws-cdk-lib';
import { FunctionUrlAuthType, HttpMethod, type IFunction, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import type { Settings } from '../settings.ts';
import { REQUEST_HEADERS } from './cors.ts';

/** One URL for queries, mutations and subscriptions. With auth=jwt the URL is open and the function checks the token. */
export const addGraphqlUrl = (graphql: IFunction, { auth, corsOrigins }: Settings) =>
  graphql.addFunctionUrl({
    authType: auth === 'iam' ? FunctionUrlAuthType.AWS_IAM : FunctionUrlAuthType.NONE,
    invokeMode: InvokeMode.RESPONSE_STREAM,
    ...(corsOrigins.length > 0
      ? {
          cors: {
            allowedOrigins: corsOrigins,
            allowedMethods: [HttpMethod.GET, HttpMethod.POST],
            allowedHeaders: ['accept', ...REQUEST_HEADERS],
            // Function URLs rename www-authenticate.
            exposedHeaders: ['retry-after', 'server-timing', 'x-amzn-remapped-www-authenticate'],
            maxAge: Duration.hours(2),
          },
        }
      : {}),
  });
