import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { writeIf } from '../../dynamodb/conditional.ts';
import { type Key, uniqueKey } from '../../dynamodb/keys.ts';
import { environment } from '../../environment.ts';
import { notFound, ServiceError, unavailable } from '../../errors.ts';
import { listSubjects, nameClaims } from '../../users/fields/values.ts';
import { type Conditions, checkConditions, findStoredUser } from '../../users/read.ts';
import type { StoredUser, User } from '../../users/user.ts';
import { isBlocked, requireSubjectField, visibleFields } from './fields.ts';
import { issuerKey } from './keys.ts';
import type { Person } from './person.ts';

const getItem = async (Key: Key) => (await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;

/**
 * Reads consistently. Stores the issuer with the first record that is found. Throws SERVICE_UNAVAILABLE if the table's
 * subjects come from another issuer than the token, and BLOCKED.
 */
export async function findMe({ subject, issuer }: Person): Promise<StoredUser | undefined> {
  const [stored] = await Promise.all([findBySubject(subject), checkIssuer(issuer)]);
  if (!stored) return undefined;
  // An operator may have written the subject, which stores no issuer.
  await storeIssuer(issuer);
  requireNotBlocked(stored.user);
  return stored;
}

/** Same as `findStoredOwner`, but loads less code. */
export async function findBySubject(subject: string, staleId?: string): Promise<StoredUser | undefined> {
  const { userId } = (await getItem(uniqueKey(nameClaims(requireSubjectField()), subject))) ?? {};
  if (typeof userId !== 'string' || userId === staleId) return undefined;
  const stored = await findStoredUser(userId);
  return stored && listSubjects(stored.user).includes(subject) ? stored : findBySubject(subject, userId);
}

/** Throws FORBIDDEN with the reason BLOCKED. */
export function requireNotBlocked(user: User): void {
  if (isBlocked(user)) throw new ServiceError('FORBIDDEN', 'The person is blocked', { reason: 'BLOCKED' });
}

/** Throws SERVICE_UNAVAILABLE if an operator has changed the subject since the read, and BLOCKED. */
export function requireSameSubject(user: User, { subject }: Person): void {
  if (!listSubjects(user).includes(subject)) throw unavailable();
  requireNotBlocked(user);
}

/** All logins of a record share the count of its first login. */
export function findCounter(user: User, { subject }: Person): string {
  const [first = subject] = listSubjects(user);
  return first;
}

/** Throws NOT_FOUND if the person has no record, PRECONDITION_FAILED, and BLOCKED. */
export async function getMe(person: Person, conditions: Conditions): Promise<User> {
  const { user } = await requireMe(person);
  checkConditions(user, conditions);
  return user;
}

/** Throws NOT_FOUND if the person has no record, and BLOCKED. */
export async function requireMe(person: Person): Promise<StoredUser> {
  const stored = await findMe(person);
  if (!stored) throw notFound('User');
  return stored;
}

export const showMe = ({ id, name, email, own }: User) => ({ id, name, email, ...showOwn(own) });

export const showOwn = (own: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(visibleFields.map(({ name }) => [name, own[name]]));

/** The stored issuer is cached for this time, because only a relink by an operator changes it. */
export const ISSUER_TTL_MS = 60_000;

let known: { issuer: string | undefined; expiresAt: number } | undefined;

/**
 * Throws SERVICE_UNAVAILABLE for a token of another issuer, which could match another person's record, until a relink
 * stores this deployment's issuer. The first record found or created stores the issuer.
 */
async function checkIssuer(issuer: string): Promise<void> {
  if (!known || known.expiresAt <= environment.now()) {
    const stored = (await getItem(issuerKey))?.issuer;
    known = {
      issuer: typeof stored === 'string' ? stored : undefined,
      expiresAt: environment.now() + ISSUER_TTL_MS,
    };
  }
  if (known.issuer !== undefined && known.issuer !== issuer) throw otherIssuer(known.issuer, issuer);
}

/** Throws SERVICE_UNAVAILABLE if another issuer is stored. */
export async function storeIssuer(issuer: string): Promise<void> {
  if (known?.issuer === issuer) return;
  const { failure } = await writeIf('Put', {
    Item: { ...issuerKey, issuer },
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const stored = failure?.item?.issuer;
  if (stored !== undefined && stored !== issuer) throw otherIssuer(String(stored), issuer);
  known = { issuer, expiresAt: environment.now() + ISSUER_TTL_MS };
}

/** An hour, because only operators can end this. */
const RELINK_SECONDS = 3_600;

function otherIssuer(stored: string, issuer: string): ServiceError {
  console.error({ event: 'other issuer', stored, issuer });
  return new ServiceError(
    'SERVICE_UNAVAILABLE',
    'The stored subjects belong to another token issuer: operators must relink them',
    { retryAfterSeconds: RELINK_SECONDS },
  );
}
