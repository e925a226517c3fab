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
import { accessOf, requireScope } from './access.ts';
import { adapter } from './adapter.ts';
import { type Context, contextOf } from './context.ts';
import { tellDeprecations } from './deprecations.ts';
import { formatError } from './failures.ts';
import { limitRules, MAX_TOKENS, refuseCostly } from './limits.ts';
import { schema } from './schema.ts';

const notStreamed = () =>
  new GraphQLError('Subscriptions are streamed: ask for them by POST with Accept: text/event-stream', {
    extensions: { code: 'BAD_REQUEST', http: { status: 406 } },
  });

const guard: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    async didResolveOperation({ schema, document, operation, request: { variables, operationName }, contextValue }) {
      if (operation) requireScope(contextValue.access, operation.operation);
      if (operation?.operation === 'subscription') throw notStreamed();
      refuseCostly(schema, { query: document, variables, operationName });
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
    tellDeprecations,
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
  { context: async ({ event }) => contextOf(await accessOf(event)) },
);
