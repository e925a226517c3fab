import type { DocumentNode } from 'graphql';
import { bulk } from '../../features/bulk/resolvers.ts';
import { changeLog } from '../../features/change-log/resolvers.ts';
import { erasure } from '../../features/erasure/resolvers.ts';
import { groups } from '../../features/groups/resolvers.ts';
import { history } from '../../features/history/resolvers.ts';
import { ownRecords } from '../../features/me/resolvers.ts';
import { merge } from '../../features/merge/resolvers.ts';
import { myGroup } from '../../features/my-group/resolvers.ts';
import { ownFieldTypes } from './own-fields.ts';
import type { RootResolver } from './root-fields.ts';

/** Root fields without rights do not compile. */
export type Extension = {
  definitions: DocumentNode;
  resolvers: {
    Query?: Record<string, RootResolver>;
    Mutation?: Record<string, RootResolver>;
    Subscription?: Record<string, { subscribe: RootResolver; resolve: (change: never) => unknown }>;
    [type: string]: object;
  };
};

export const extensions = [
  bulk,
  changeLog,
  erasure,
  groups,
  history,
  merge,
  myGroup,
  ownFieldTypes,
  ownRecords,
] as const satisfies Extension[];
