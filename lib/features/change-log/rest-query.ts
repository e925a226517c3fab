import * as z from 'zod/mini';
import { type ListQuery, time } from '../../rest/list-query.ts';
import { changedSinceCriterion } from './changed-since.ts';

export const changedSinceQuery: ListQuery = {
  name: 'changedSince',
  schema: z
    .optional(
      z.pipe(
        time,
        z.transform((text: string) => changedSinceCriterion({ changedSince: text }, new Date(text).toISOString())),
      ),
    )
    .register(z.globalRegistry, {
      type: 'string',
      description:
        'Lists only users changed since this time (or since the start of this day in UTC), in the order of their last change. Deleted users are missing: use GraphQL `userChanges` to get deletions, too. A change appears after about a second. Reaches back 25 hours, or `historyDays` if that is longer; the response to an earlier time is 400.',
    }),
  right: 'list',
};
