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
        'Lists only existing users changed since this time, or since the beginning of this day in UTC, in the order of their last change. Changes appear about a second after the writes, and are kept for 25 hours, or for `historyDays` if that is longer. An earlier time is 400. GraphQL `userChanges` also returns deletions.',
    }),
  right: 'list',
};
