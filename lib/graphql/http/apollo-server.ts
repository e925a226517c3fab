import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { startServerAndCreateLambdaHandler } from '@as-integrations/aws-lambda';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { type Access, requireScope } from '../authenticate.ts';
import { createGraphqlContext, type GraphqlContext } from '../context.ts';
import { addDeprecations } from '../deprecations.ts';
import { formatError } from '../errors.ts';
import { assertQueryCost, limitRules, MAX_TOKENS } from '../limits.ts';
import { requestError } from '../request-error.ts';
import { schema } from '../schema/schema.ts';
import { lambdaAdapter } from './lambda-adapter.ts';

const checkOperation: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: async () => ({
    async didResolveOperation({ schema, document, operation, request: { variables, operationName }, contextValue }) {
      if (operation) requireScope(contextValue.access, operation.operation);
      if (operation?.operation === 'subscription')
        throw requestError(406, 'BAD_REQUEST', 'Subscriptions are streamed; use POST with Accept: text/event-stream');
      assertQueryCost(schema, { query: document, variables, operationName });
    },
  }),
};

const server = new ApolloServer<GraphqlContext>({
  schema,
  formatError,
  introspection: true,
  includeStacktraceInErrorResponses: false,
  persistedQueries: false,
  parseOptions: { maxTokens: MAX_TOKENS },
  validationRules: limitRules,
  plugins: [
    checkOperation,
    addDeprecations,
    ApolloServerPluginCacheControlDisabled(),
    ApolloServerPluginInlineTraceDisabled(),
    ApolloServerPluginLandingPageDisabled(),
    ApolloServerPluginSchemaReportingDisabled(),
    ApolloServerPluginUsageReportingDisabled(),
  ],
});

/** The integration's types name Apollo's CommonJS build, whose class differs from the ESM one for TypeScript. */
type IntegratedServer = Parameters<typeof startServerAndCreateLambdaHandler<typeof lambdaAdapter, GraphqlContext>>[0];

const handleRequest = startServerAndCreateLambdaHandler<typeof lambdaAdapter, GraphqlContext>(
  server as unknown as IntegratedServer,
  lambdaAdapter,
  { context: async ({ event: { access } }) => createGraphqlContext(access) },
);

/** Answers queries and mutations. */
export async function executeHttp(
  event: APIGatewayProxyEventV2,
  access: Access,
  context: Context,
): Promise<APIGatewayProxyStructuredResultV2> {
  return (await handleRequest({ event, access }, context, () => {})) ?? {};
}
