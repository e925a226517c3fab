import type { ApolloServerOptions, BaseContext } from '@apollo/server';
import type { DocumentNode } from 'graphql';

type DocumentStore = NonNullable<ApolloServerOptions<BaseContext>['documentStore']>;

/**
 * The text of all documents together is limited. The limit of tokens makes a parsed document at most 0.4 MB, and one that has as
 * many tokens as it can on 2 kB: the cache takes 20 MB at worst.
 */
const MAX_BYTES = 100_000;

/** Keeps the documents that were used last, parsed, so that clients that repeat them do not wait for the parser. */
export function createDocumentCache(maxBytes = MAX_BYTES): DocumentStore {
  const documents = new Map<string, DocumentNode>(); // They are in the order of use.
  let bytes = 0;
  const remove = (key: string) => {
    bytes -= measure(documents.get(key));
    return documents.delete(key);
  };
  return {
    async get(key) {
      const document = documents.get(key);
      if (document) documents.delete(key) && documents.set(key, document);
      return document;
    },
    async set(key, document) {
      remove(key);
      documents.set(key, document);
      bytes += measure(document);
      for (const oldest of documents.keys()) {
        if (bytes <= maxBytes) break;
        remove(oldest);
      }
    },
    delete: async (key) => remove(key),
  };
}

const measure = (document: DocumentNode | undefined): number => Buffer.byteLength(document?.loc?.source.body ?? '');
