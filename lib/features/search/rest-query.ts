import { createListQuery, parameter } from '../../rest/list-query.ts';
import { findIssue, MAX_LENGTH } from './query.ts';
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
  keywords: {
    minLength: 1,
    maxLength: MAX_LENGTH,
    description:
      'Searches users. Every word must be the beginning of a word in the name, the email address, its domain (`@example.org`) or a search field. Ignores case, accents, apostrophes, the grouping of digits, and word order. Users who have the words in the given order come first. Also accepts an id, a phone number, or a pasted `Ada <ada@example.org>`. A word needs at least two characters, or one Chinese, Japanese or Korean character. A page has at most 100 users and may have fewer although more follow. Cannot be combined with `page`.',
  },
});
