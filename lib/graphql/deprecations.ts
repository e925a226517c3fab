import type { ApolloServerPlugin } from '@apollo/server';
import { type DocumentNode, type GraphQLSchema, NoDeprecatedCustomRule, validate } from 'graphql';

const found = new WeakMap<DocumentNode, string[]>();

/** One sentence, with the reason, for each deprecated part of the schema that the document uses. */
export function findDeprecations(schema: GraphQLSchema, document: DocumentNode): string[] {
  const deprecations = found.get(document) ?? [
    ...new Set(validate(schema, document, [NoDeprecatedCustomRule]).map(({ message }) => message)),
  ];
  found.set(document, deprecations);
  return deprecations;
}

/** Adds them to the response as `extensions.deprecations`, so that client developers see them in time. */
export const addDeprecations: ApolloServerPlugin = {
  requestDidStart: async () => ({
    async willSendResponse({ schema, document, response: { body } }) {
      const deprecations = document ? findDeprecations(schema, document) : [];
      if (deprecations.length > 0 && body.kind === 'single')
        body.singleResult.extensions = { ...body.singleResult.extensions, deprecations };
    },
  }),
};
