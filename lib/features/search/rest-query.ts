import { createListQuery, parameter } from '../../rest/list-query.ts';
import { findIssue } from './query.ts';
import { searchCriterion } from './search.ts';

const searchText = parameter.check(({ value, issues }) => {
  const message = findIssue(value);
  if (message) issues.push({ code: 'custom', input: value, message, continue: true });
});

export const searchQuery = createListQuery({
  name: 'q',
  right: 'list',
  value: searchText,
  toCriterion: searchCriterion,
});
