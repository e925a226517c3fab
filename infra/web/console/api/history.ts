import type { TypedDocument } from '../../../../lib/client/client.ts';
import { client } from './client.ts';
import type { GetHistoryQuery, GetHistoryQueryVariables } from './document-types.ts';
import { type WithOwnFields, withUserFields } from './users.ts';

/** Changes before `since` have expired. */
export type HistoryPage = WithOwnFields<GetHistoryQuery>['userHistory'];
export type HistoryEntry = HistoryPage['nodes'][number];

const GET_HISTORY: TypedDocument<GetHistoryQuery, GetHistoryQueryVariables> =
  `query GetHistory($id: ID!, $after: String) {
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

export async function getHistory(id: string, after: string | undefined, signal: AbortSignal): Promise<HistoryPage> {
  return (await client.graphql(withUserFields(GET_HISTORY), { id, after }, { signal })).userHistory;
}
