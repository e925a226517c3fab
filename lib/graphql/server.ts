import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { startServerAndCreateLambdaHandler } from '@as-integrations/aws-lambda';
import { callerOf } from '../caller.ts';
import { adapter } from './adapter.ts';
import { type Context, contextOf } from './context.ts';
import { formatError } from './failures.ts';
import { limitRules, MAX_TOKENS, refuseCostly } from './limits.ts';
import { schema } from './schema.ts';

const limitCost: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    async didResolveOperation({ schema, document, request: { variables, operationName } }) {
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
    limitCost,
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
  { context: async ({ event }) => contextOf(callerOf(event)) },
);
