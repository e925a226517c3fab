import { ServiceError } from '../../errors.ts';
import { listSubjects, nameClaims } from '../../users/fields/values.ts';
import { nextVersion, type User } from '../../users/user.ts';
import { getUserToWrite, writeUser } from '../../users/write.ts';
import { requireCompleteClaims } from '../backfill/complete-lists.ts';
import { requireSubjectField } from './fields.ts';
import { type Person, SELF } from './person.ts';
import { countWrite, notDeletedGuard } from './person-item.ts';
import { findCounter, requireMe, requireSameSubject } from './read.ts';
import { verifyLogin } from './second-token.ts';

/**
 * Adds the login that `token` belongs to. A login of the record changes nothing. Throws NOT_FOUND, BAD_USER_INPUT for an
 * unsuitable token, and CONFLICT with SUBJECT_TAKEN, SUBJECT_DELETED or TOO_MANY_LOGINS. Throws SERVICE_UNAVAILABLE while
 * subject claims may be missing.
 */
export async function addLogin(person: Person, token: string): Promise<User> {
  const field = requireSubjectField();
  const { subject } = await verifyLogin(token);
  const current = await requireMe(person);
  if (listSubjects(current.user).includes(subject)) return current.user;
  await requireCompleteClaims(nameClaims(field));
  // Failed writes count, because a conflict reveals that another record exists.
  await countWrite(findCounter(current.user, person));
  const { id } = current.user;
  const result = await writeUser({
    current,
    async plan(latest) {
      const before = await getUserToWrite({ id }, latest);
      requireSameSubject(before.user, person);
      const subjects = new Set(listSubjects(before.user)).add(subject);
      if (subjects.size > (field.maxItems ?? 1)) throw tooManyLogins(subjects.size - 1);
      return { before, after: nextVersion(before.user, { id, [field.name]: [...subjects] }, SELF) };
    },
    guard: notDeletedGuard(subject),
  });
  switch (result.kind) {
    case 'written':
    case 'unneeded':
      return result.change?.after as User; // An update always plans a change with `after`.
    case 'taken':
      throw new ServiceError('CONFLICT', 'Another record has this login', { reason: 'SUBJECT_TAKEN' });
    case 'repeated':
      throw new Error('An update has no idempotency key');
  }
}

const tooManyLogins = (count: number) =>
  new ServiceError('CONFLICT', `The record has ${count} logins already, which is the limit`, {
    reason: 'TOO_MANY_LOGINS',
  });
