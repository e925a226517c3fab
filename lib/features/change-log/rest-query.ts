import { createListQuery, time } from '../../rest/list-query.ts';
import { changedSinceCriterion } from './changed-since.ts';

export const changedSinceQuery = createListQuery({
  name: 'changedSince',
  right: 'list',
  value: time,
  toCriterion: (text) => changedSinceCriterion({ changedSince: text }, new Date(text).toISOString()),
  keywords: {
    type: 'string',
    description:
      'Lists only users changed since this time (or since the start of this day in UTC), in the order of their last change. Deleted users are missing: use GraphQL `userChanges` to get deletions, too. A change appears after about a second. Reaches back 25 hours, or `historyDays` if that is longer; the response to an earlier time is 400. If `email`, a unique field, `id`, `q` or `sort` finds the users, their `updatedAt` counts instead, however old.',
  },
});
