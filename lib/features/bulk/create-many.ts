import { getItems } from '../../dynamodb/batches.ts';
import type { ConditionFailure } from '../../dynamodb/conditional-writes.ts';
import { userKey } from '../../dynamodb/keys.ts';
import { transactAll } from '../../dynamodb/transactions.ts';
import { ServiceError, unavailable } from '../../errors.ts';
import { parseClaim } from '../../users/claims.ts';
import { companions } from '../../users/companions.ts';
import { hasClaim, listClaims } from '../../users/list-claims.ts';
import { type NewVersion, parseUser, type User } from '../../users/schema.ts';
import { putNewUser } from '../../users/transaction-items.ts';
import type { Companion } from '../../users/write.ts';

/** `taken` names what the owner has: the id, the email address or a unique field. */
export type CreateResult = { user: User; taken?: undefined } | { taken: string; owner: User };

type Candidate = { make: () => NewVersion; result?: CreateResult };

/** An item of a transaction that creates several users. */
type Write = Companion<never> & { candidate: Candidate; user: NewVersion };
type Failed = { write: Write; failure: ConditionFailure };

/** DynamoDB takes so many items in a transaction. */
const MAX_ITEMS = 100;

/**
 * Creates users with their companions, as many in a transaction as fit. One who cannot be created leaves the others alone. Each
 * function makes its user again for every attempt, so that a new id is new when it is written; a user of a kept id may
 * stay the same. Throws SERVICE_UNAVAILABLE if some may or may not have been written.
 */
export async function createMany(
  makes: (() => NewVersion)[],
  options: { attemptMs?: number } = {},
): Promise<CreateResult[]> {
  const candidates: Candidate[] = makes.map((make) => ({ make }));
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
  let writes: Write[] = [];
  const renew = () => {
    writes = group.flatMap(listWrites);
    return writes;
  };
  const { failed, outcomeUnknown } = await transactAll(renew(), { ...options, renew });
  if (!failed) {
    for (const { candidate, user } of writes) candidate.result = { user };
    return;
  }
  // What failed may have been written by an earlier request of the same transaction.
  if (outcomeUnknown) throw unavailable();
  const owners = await readOwners(failed);
  for (const [candidate, ofUser] of Map.groupBy(failed, ({ write }) => write.candidate)) {
    const taken = ofUser.map((each) => findTaken(each, owners)).find((found) => found);
    if (taken) candidate.result = taken;
    else await resolveAll(ofUser);
  }
}

function listWrites(candidate: Candidate): Write[] {
  const user = candidate.make();
  const items: Companion<never>[] = companions.flatMap((list) => list({ after: user, by: user.by }));
  return [{ item: putNewUser(user) }, ...items].map((companion) => ({ ...companion, candidate, user }));
}

/** The users whom failed claims name, and those who have the ids, consistently read. */
async function readOwners(failed: Failed[]): Promise<Map<string, User>> {
  const ids = new Set(failed.map(findOwnerId));
  ids.delete('');
  const items = await getItems([...ids].map(userKey), { ConsistentRead: true });
  return new Map(items.map(parseUser).map((user) => [user.id, user]));
}

const findOwnerId = ({ write: { claim, user }, failure }: Failed): string =>
  claim ? parseClaim(failure.item ?? {}).userId : user.id;

function findTaken(each: Failed, owners: Map<string, User>): CreateResult | undefined {
  const { claim } = each.write;
  const owner = owners.get(findOwnerId(each));
  if (!owner || (claim && !hasClaim(owner, claim.key))) return undefined;
  return { taken: claim?.field ?? 'id', owner };
}

/** A user who has come to have the value since the owners were read is found in the next round. */
async function resolveAll(failed: Failed[]): Promise<void> {
  try {
    for (const { write, failure } of failed) await write.resolve?.(failure, false);
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'CONFLICT')) throw error;
  }
}
