import { type ApolloServerOptions, type ApolloServerPlugin, type BaseContext, HeaderMap } from '@apollo/server';
import type { GraphqlContext } from '../context.ts';
import { formatGraphqlError, httpError } from '../errors.ts';
import { findDeprecations, validateOperation } from '../validation.ts';

export const checkOperation: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: async () => ({
    async didResolveOperation({ operation }) {
      if (operation?.operation === 'subscription')
        throw httpError(406, 'BAD_REQUEST', 'Subscriptions are streamed; use POST with Accept: text/event-stream');
    },
    /** Validates instead of Apollo, which responds with 500 if a rule of graphql-js throws. */
    async responseForOperation({ document, request: { variables, operationName } }) {
      const errors = validateOperation({ document, variables, operationName });
      if (errors.length === 0) return null;
      const formatted = errors.map((error) => formatGraphqlError(error, 'GRAPHQL_VALIDATION_FAILED'));
      return {
        http: { status: 400, headers: new HeaderMap() },
        body: { kind: 'single', singleResult: { errors: formatted } },
      };
    },
  }),
};

/**
 * Changes Apollo's status 403 for a forbidden root field: clients that ignore error bodies would lose the other fields.
 */
export const keepAllowedFields: ApolloServerPlugin = {
  requestDidStart: async () => ({
    async willSendResponse({ response: { body, http } }) {
      if (http.status !== 403 || body.kind !== 'single') return;
      const { data, errors = [] } = body.singleResult;
      const rejected = errors.filter(({ extensions }) => extensions?.code === 'FORBIDDEN');
      const forbidden = new Set(rejected.map(({ path }) => path?.[0]));
      if (Object.keys(data ?? {}).some((field) => !forbidden.has(field))) http.status = 200;
    },
  }),
};

type Logger = NonNullable<ApolloServerOptions<BaseContext>['logger']>;

const ignore = () => {};

/**
 * Drops Apollo's messages, which can contain personal data from the document. `logInternalErrors` logs the safe part.
 */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Logs errors without the message, which can contain the document or variables. */
export const logInternalErrors: ApolloServerPlugin = {
  async unexpectedErrorProcessingRequest({ error: { name, stack = '' } }) {
    const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
    console.error({ event: 'apollo-error', error: { name, stack: frames.join('\n') } });
  },
};

export const addDeprecations: ApolloServerPlugin = {
  requestDidStart: async () => ({
    async willSendResponse({ schema, document, response: { body } }) {
      const deprecations = document ? findDeprecations(schema, document) : [];
      if (deprecations.length > 0 && body.kind === 'single')
        body.singleResult.extensions = { ...body.singleResult.extensions, deprecations };
    },
  }),
};
