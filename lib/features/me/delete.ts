import { environment } from '../../environment.ts';
import { deleteUser } from '../../users/delete.ts';
import { type Person, requireRecentSignIn } from './person.ts';
import { type MeConditions, requireMe, toVersions } from './read.ts';
import { requirePerson, SELF } from './write.ts';

/**
 * Deletes the record of a person, or erases the person, as the setting `selfDelete` says. Throws NOT_FOUND, PRECONDITION_FAILED, and
 * FORBIDDEN if the person signed in too long ago. Does not count as a change: a person who made too many can still leave.
 */
export async function deleteMe(person: Person, conditions: MeConditions): Promise<{ id: string }> {
  requireRecentSignIn(person);
  const current = await requireMe(person);
  const { id } = current.user;
  const input = { id, ...toVersions(id, conditions) };
  const erases = environment.selfDelete === 'erase';
  return deleteUser(input, SELF, { current, check: requirePerson(person), erases });
}
