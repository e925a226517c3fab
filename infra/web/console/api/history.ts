import type { TypedDocument } from '../../../../lib/client/client.ts';
import { client } from './client.ts';
import { describeUserFields, type User } from './users.ts';

export type HistoryEntry = {
  at: string;
  by: string | null;
  kind: 'CREATED' | 'UPDATED' | 'DELETED';
  version: number | null;
  before: User | null;
  after: User | null;
  changed: string[];
};

/** Changes before `since` are no longer kept. */
export type HistoryPage = {
  since: string;
  nodes: HistoryEntry[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
};

const GET_HISTORY = `query GetHistory($id: ID!, $after: String) {
  userHistory(id: $id, first: 20, after: $after) {
    since
    nodes {
      at
      by
      kind
      version
      changed
      before {
        ...UserFields
      }
      after {
        ...UserFields
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}`;

/** Reads the changes of a user, latest first. */
export async function getHistory(id: string, after: string | undefined, signal: AbortSignal): Promise<HistoryPage> {
  const document: TypedDocument<{ userHistory: HistoryPage }, { id: string; after: string | undefined }> =
    `${GET_HISTORY}\n${describeUserFields()}`;
  return (await client.graphql(document, { id, after }, { signal })).userHistory;
}
