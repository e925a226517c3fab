import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { startServerAndCreateLambdaHandler } from '@as-integrations/aws-lambda';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Access } from '../authenticate.ts';
import { createGraphqlContext, type GraphqlContext } from '../context.ts';
import { formatError } from '../errors.ts';
import { schema } from '../schema/schema.ts';
import { MAX_TOKENS } from '../validation.ts';
import { createDocumentCache } from './document-cache.ts';
import { lambdaAdapter } from './lambda-adapter.ts';
import { addDeprecations, checkOperation, keepAllowedFields, logInternalErrors, silentLogger } from './plugins.ts';

const server = new ApolloServer<GraphqlContext>({
  schema,
  formatError,
  introspection: true,
  includeStacktraceInErrorResponses: false,
  persistedQueries: false,
  documentStore: createDocumentCache(),
  parseOptions: { maxTokens: MAX_TOKENS },
  dangerouslyDisableValidation: true, // checkOperation validates.
  logger: silentLogger,
  plugins: [
    checkOperation,
    keepAllowedFields,
    logInternalErrors,
    addDeprecations,
    ApolloServerPluginCacheControlDisabled(),
    ApolloServerPluginInlineTraceDisabled(),
    ApolloServerPluginLandingPageDisabled(),
    ApolloServerPluginSchemaReportingDisabled(),
    ApolloServerPluginUsageReportingDisabled(),
  ],
});

/** The integration's types use Apollo's CommonJS class, which TypeScript distinguishes from the ESM class. */
type IntegratedServer = Parameters<typeof startServerAndCreateLambdaHandler<typeof lambdaAdapter, GraphqlContext>>[0];

const handleRequest = startServerAndCreateLambdaHandler<typeof lambdaAdapter, GraphqlContext>(
  server as unknown as IntegratedServer,
  lambdaAdapter,
  { context: async ({ event: { access } }) => createGraphqlContext(access) },
);

/** The integration passes the Lambda context only to `context` above, which ignores it. Other hosts have none. */
const NO_LAMBDA_CONTEXT = {} as Context;

export async function executeHttp(
  event: APIGatewayProxyEventV2,
  access: Access,
): Promise<APIGatewayProxyStructuredResultV2> {
  return (await handleRequest({ event, access }, NO_LAMBDA_CONTEXT, () => {})) ?? {};
}
