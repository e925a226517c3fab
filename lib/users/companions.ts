import { deletionRecord } from '../features/change-log/deletions.ts';
import { tombstone } from '../features/page-index/tombstones.ts';
import { claims } from './claims.ts';
import type { Companions } from './write.ts';

type List = readonly Companions<never>[];

/** What stands in the transaction that creates or changes a user. */
export const companions: List = [claims];

/** What stands in the transaction that deletes a user. Functions that delete nobody do not bundle it. */
export const deletionCompanions: List = [claims, tombstone, deletionRecord];
