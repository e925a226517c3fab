import type { ApolloServerOptions, BaseContext } from '@apollo/server';
import type { DocumentNode } from 'graphql';

type DocumentStore = NonNullable<ApolloServerOptions<BaseContext>['documentStore']>;

/**
 * Maximum bytes of cached documents. 2 kB can have the maximum number of tokens, which take 0.4 MB when parsed: 20 MB
 * in total.
 */
const MAX_BYTES = 100_000;

export function createDocumentCache(maxBytes = MAX_BYTES): DocumentStore {
  const documents = new Map<string, DocumentNode>();
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
