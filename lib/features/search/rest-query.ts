import * as z from 'zod/mini';
import { type ListQuery, parameter } from '../../rest/list-query.ts';
import { searchCriterion } from './search.ts';
import { findIssue, MAX_LENGTH } from './text.ts';

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
      'Lists the users of whose name a word, or the words from one on, begin with this text, or whose email address does; sorted by what matched. It has at least two characters, or one that is Chinese, Japanese or Korean. Case and accents do not matter. Changes show at once. A page has at most 100 users. Not together with `page`.',
  }),
  right: 'list',
};
