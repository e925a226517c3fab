import { createListQuery, time } from '../../rest/list-query.ts';
import { changedSinceCriterion } from './changed-since.ts';

export const changedSinceQuery = createListQuery({
  name: 'changedSince',
  right: 'list',
  value: time,
  toCriterion: (text) => changedSinceCriterion({ changedSince: text }, new Date(text).toISOString()),
});
