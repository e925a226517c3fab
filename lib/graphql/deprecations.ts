import type { ApolloServerPlugin } from '@apollo/server';
import { type DocumentNode, type GraphQLSchema, NoDeprecatedCustomRule, validate } from 'graphql';

/** What of the schema a document uses that is `@deprecated`: a sentence each, with the reason. */
export const findDeprecations = (schema: GraphQLSchema, document: DocumentNode): string[] => [
  ...new Set(validate(schema, document, [NoDeprecatedCustomRule]).map(({ message }) => message)),
];

/** Says so in `extensions.deprecations`, where the developers of a client see it while all still works. */
export const addDeprecations: ApolloServerPlugin = {
  requestDidStart: async () => ({
    async willSendResponse({ schema, document, response: { body } }) {
      const deprecations = document ? findDeprecations(schema, document) : [];
      if (deprecations.length > 0 && body.kind === 'single')
        body.singleResult.extensions = { ...body.singleResult.extensions, deprecations };
    },
  }),
};
