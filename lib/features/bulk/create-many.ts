import { getItems } from '../../dynamodb/batches.ts';
import type { ConditionFailure } from '../../dynamodb/conditional-writes.ts';
import { userKey } from '../../dynamodb/keys.ts';
import { type TransactItem, transact } from '../../dynamodb/transactions.ts';
import { ServiceError, unavailable } from '../../errors.ts';
import { ClaimChanges, claimName, parseClaim } from '../../users/claims.ts';
import { hasClaim, listClaims } from '../../users/list-claims.ts';
import { type NewVersion, parseUser, type User } from '../../users/schema.ts';
import { putNewUser } from '../../users/transaction-items.ts';

/** `taken` names what the owner has: the id, the email address or a unique field. */
export type CreateResult = { user: User; taken?: undefined } | { taken: string; owner: User };

type Candidate = { make: () => NewVersion; claims: ClaimChanges; result?: CreateResult };
type Failures = Partial<Record<string, ConditionFailure>>;

/** DynamoDB takes so many items in a transaction. */
const MAX_ITEMS = 100;

/**
 * Creates users with their claims, as many in a transaction as fit. One who cannot be created leaves the others alone. Each
 * function makes its user again for every attempt, so that a new id is new when it is written; a user of a kept id may
 * stay the same. Throws SERVICE_UNAVAILABLE if some may or may not have been written.
 */
export async function createMany(
  makes: (() => NewVersion)[],
  options: { attemptMs?: number } = {},
): Promise<CreateResult[]> {
  const candidates: Candidate[] = makes.map((make) => ({ make, claims: new ClaimChanges() }));
  // Each round creates a group, or learns why one of it cannot be created as it is.
  for (let group = selectGroup(candidates); group.length > 0; group = selectGroup(candidates))
    await createGroup(group, options);
  return candidates.flatMap(({ result }) => result ?? []);
}

/** Those whose items fit into one transaction. It takes an item once, so two who claim the same value do not. */
function selectGroup(candidates: Candidate[]): Candidate[] {
  const keys = new Set<string>();
  const group: Candidate[] = [];
  for (const candidate of candidates.filter(({ result }) => !result)) {
    const user = candidate.make();
    const wanted = [userKey(user.id), ...listClaims(user).map(({ key }) => key)].map(({ pk }) => pk);
    if (wanted.some((pk) => keys.has(pk))) continue;
    if (keys.size + wanted.length > MAX_ITEMS) break;
    for (const pk of wanted) keys.add(pk);
    group.push(candidate);
  }
  return group;
}

async function createGroup(group: Candidate[], options: { attemptMs?: number }): Promise<void> {
  let users: { candidate: Candidate; user: NewVersion }[] = [];
  const { failures, outcomeUnknown } = await transact<string>(() => {
    users = group.map((candidate) => ({ candidate, user: candidate.make() }));
    return Object.fromEntries(users.flatMap(({ candidate, user }, at) => listItems(candidate, user, at)));
  }, options);
  if (!failures) {
    for (const { candidate, user } of users) candidate.result = { user };
    return;
  }
  // What failed may have been written by an earlier request of the same transaction.
  if (outcomeUnknown) throw unavailable();
  const owners = await readOwners(users, failures);
  for (const [at, { candidate, user }] of users.entries()) {
    const failed = pickFailures(failures, at);
    if (Object.keys(failed).length === 0) continue;
    const taken = findTaken(user, failed, owners);
    if (taken) candidate.result = taken;
    else await learnStaleClaims(candidate.claims, failed, user);
  }
}

const USER = 'user';

const listItems = ({ claims }: Candidate, user: NewVersion, at: number): [string, TransactItem][] =>
  Object.entries({ ...claims.createItems(undefined, user), [USER]: putNewUser(user) }).map(([name, item]) => [
    `${at}/${name}`,
    item,
  ]);

const pickFailures = (failures: Failures, at: number): Failures =>
  Object.fromEntries(
    Object.entries(failures).flatMap(([name, failure]) =>
      name.startsWith(`${at}/`) ? [[name.slice(`${at}/`.length), failure]] : [],
    ),
  );

/** The users whom failed claims name, and those who have the ids, consistently read. */
async function readOwners(users: { user: User }[], failures: Failures): Promise<Map<string, User>> {
  const claimed = Object.values(failures).flatMap((failure) => (failure?.item ? parseClaim(failure.item).userId : []));
  const ids = new Set([...users.map(({ user }) => user.id), ...claimed]);
  ids.delete('');
  const items = await getItems([...ids].map(userKey), { ConsistentRead: true });
  return new Map(items.map(parseUser).map((user) => [user.id, user]));
}

function findTaken(user: User, failed: Failures, owners: Map<string, User>): CreateResult | undefined {
  const owner = failed[USER] && owners.get(user.id);
  if (owner) return { taken: 'id', owner };
  for (const claim of listClaims(user)) {
    const failure = failed[claimName(claim)];
    const claimant = failure && owners.get(parseClaim(failure.item).userId);
    if (claimant && hasClaim(claimant, claim.key)) return { taken: claim.field, owner: claimant };
  }
  return undefined;
}

/** A user who has come to have the value since the owners were read is found in the next round. */
async function learnStaleClaims(claims: ClaimChanges, failed: Failures, user: User): Promise<void> {
  try {
    await claims.resolve(failed, undefined, user);
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'CONFLICT')) throw error;
  }
}
