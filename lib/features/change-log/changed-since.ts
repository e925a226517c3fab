import type { Criterion } from '../../users/criteria.ts';
import { listChangedUsers } from './changes.ts';
import { parseStart } from './cursor.ts';

/** Maximum users per page. Larger pages would take too long, because each user is read by id. */
const MAX_PAGE = 100;

/**
 * Finds users in the order of their last change. `since` is ISO 8601. Throws BAD_USER_INPUT for a time in the future.
 */
export function changedSinceCriterion(parameters: Criterion['parameters'], since: string): Criterion {
  const start = parseStart(since, 'changedSince');
  return {
    parameters,
    matches: ({ updatedAt }) => Date.parse(updatedAt) >= start,
    driver: {
      kind: 'change',
      maxPage: MAX_PAGE,
      orderIssue:
        'cannot be combined with changedSince without sort: users are listed in the order of their last change',
      findCursorIssue: () => undefined,
      open({ after, onRead }) {
        let position = after;
        return async (limit) => {
          const { users, next, hasMore } = await listChangedUsers({ since, after: position, limit }, onRead);
          position = next;
          const candidates = users.map(({ user, cursor }) => ({ id: user.id, user, cursor }));
          return { candidates, next: hasMore ? next : undefined };
        };
      },
    },
  };
}
