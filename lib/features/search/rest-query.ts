import * as z from 'zod/mini';
import { type ListQuery, parameter } from '../../rest/list-query.ts';
import { findIssue, MAX_LENGTH } from './query.ts';
import { searchCriterion } from './search.ts';

const searchText = parameter.check(({ value, issues }) => {
  const message = findIssue(value);
  if (message) issues.push({ code: 'custom', input: value, message, continue: true });
});

export const searchQuery: ListQuery = {
  name: 'q',
  schema: z.optional(z.pipe(searchText, z.transform(searchCriterion))).register(z.globalRegistry, {
    minLength: 1,
    maxLength: MAX_LENGTH,
    description:
      'Lists the users who match all words. A word matches the beginning of a word of the name, of the email address, of its domain (`@example.org`) or of a search field. Case, accents, apostrophes, the grouping of digits and the order of words do not matter. Users with the words in this order come first. Also accepts an id, a phone number, or a pasted `Ada <ada@example.org>`. A word needs two characters, or one Chinese, Japanese or Korean character. Writes are visible immediately. A page has at most 100 users, and may have fewer although more follow. Cannot be combined with `page`.',
  }),
  right: 'list',
};
