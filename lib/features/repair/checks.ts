import { listExpectedEntries, searchEntries } from '../search/entry-checks.ts';
import type { ItemCheck, UserCheck } from './inconsistency.ts';
import { listExpectedClaims } from './missing-claims.ts';
import { postsWithoutAuthor, tombstonesOfUsers } from './orphans.ts';
import { staleClaims } from './stale-claims.ts';

// What the job, the backfill and check-table compare with users. Features add to these lists what they store of users.

export const itemChecks: ItemCheck[] = [staleClaims, postsWithoutAuthor, tombstonesOfUsers, searchEntries];

export const userChecks: UserCheck[] = [listExpectedClaims, listExpectedEntries];
