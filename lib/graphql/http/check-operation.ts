import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import { requireScope } from '../authenticate.ts';
import type { GraphqlContext } from '../context.ts';
import { formatGraphqlError } from '../format-error.ts';
import { requestError } from '../request-error.ts';
import { validateOperation } from '../validate-operation.ts';

/** Rejects an operation before it is executed. */
export const checkOperation: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: async () => ({
    async didResolveOperation({ operation, contextValue }) {
      if (operation) requireScope(contextValue.access, operation.operation);
      if (operation?.operation === 'subscription')
        throw requestError(406, 'BAD_REQUEST', 'Subscriptions are streamed; use POST with Accept: text/event-stream');
    },
    /** Validates in the place of Apollo, which answers 500 if a rule of graphql-js throws. */
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
