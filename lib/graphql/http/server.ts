import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { startServerAndCreateLambdaHandler } from '@as-integrations/aws-lambda';
import { GraphQLError } from 'graphql';
import { authenticate, requireScope } from '../authenticate.ts';
import { adapter } from './adapter.ts';
import { type Context, createGraphqlContext } from '../context.ts';
import { addDeprecations } from '../deprecations.ts';
import { formatError } from '../errors.ts';
import { limitRules, MAX_TOKENS, assertQueryCost } from '../limits.ts';
import { schema } from '../schema/schema.ts';

const notStreamed = () =>
  new GraphQLError('Subscriptions are streamed: ask for them by POST with Accept: text/event-stream', {
    extensions: { code: 'BAD_REQUEST', http: { status: 406 } },
  });

const guard: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    async didResolveOperation({ schema, document, operation, request: { variables, operationName }, contextValue }) {
      if (operation) requireScope(contextValue.access, operation.operation);
      if (operation?.operation === 'subscription') throw notStreamed();
      assertQueryCost(schema, { query: document, variables, operationName });
    },
  }),
};

const server = new ApolloServer<Context>({
  schema,
  formatError,
  introspection: true,
  includeStacktraceInErrorResponses: false,
  persistedQueries: false,
  parseOptions: { maxTokens: MAX_TOKENS },
  validationRules: limitRules,
  plugins: [
    guard,
    addDeprecations,
    ApolloServerPluginCacheControlDisabled(),
    ApolloServerPluginInlineTraceDisabled(),
    ApolloServerPluginLandingPageDisabled(),
    ApolloServerPluginSchemaReportingDisabled(),
    ApolloServerPluginUsageReportingDisabled(),
  ],
});

/** The integration is typed against Apollo's CommonJS build, whose class is another to TypeScript than the ESM one. */
type IntegratedServer = Parameters<typeof startServerAndCreateLambdaHandler<typeof adapter, Context>>[0];

/** Answers queries and mutations, whole. */
export const answer = startServerAndCreateLambdaHandler<typeof adapter, Context>(
  server as unknown as IntegratedServer,
  adapter,
  { context: async ({ event }) => createGraphqlContext(await authenticate(event)) },
);
