import { environment } from '../../environment.ts';
import { deleteUser } from '../../users/delete.ts';
import { type Conditions, checkConditions } from '../../users/read.ts';
import { unchangedCheck } from '../../users/write.ts';
import { eraseEarlierRecords } from '../erasure/earlier-records.ts';
import { type Person, requireRecentSignIn, SELF } from './person.ts';
import { requireMe, requireSameSubject } from './read.ts';

// Separate from write.ts, like users/delete.ts.

/**
 * Deletes the person's record. A deletion does not count as a write, so a person at the limit can still leave. Throws
 * NOT_FOUND, PRECONDITION_FAILED, FORBIDDEN if the sign-in is too old, and SERVICE_UNAVAILABLE.
 */
export async function deleteMe(person: Person, conditions: Conditions): Promise<{ id: string }> {
  requireRecentSignIn(person);
  const current = await requireMe(person);
  const { id } = current.user;
  const input = { id, ...conditions };
  checkConditions(current.user, input);
  // A block at the same time must also keep the earlier records.
  const guard = unchangedCheck(current);
  const erasure = environment.selfDelete === 'erase' ? await eraseEarlierRecords(current.user, SELF, guard) : undefined;
  return deleteUser(input, SELF, { current, check: (user) => requireSameSubject(user, person), erasure });
}
