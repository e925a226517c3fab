import { normalizeId } from '../../dynamodb/keys.ts';
import { invalidInput } from '../../errors.ts';
import { CLAIM_AND_USER } from '../../graphql/budget.ts';
import { formatThrown } from '../../graphql/errors.ts';
import { mutations, primeUser, startWrite } from '../../graphql/schema/mutations.ts';
import { toRestValues, toRestValuesWithoutNull } from '../../graphql/schema/own-fields.ts';
import type { ItemError, MutationResolvers, QueryResolvers } from '../../graphql/schema/resolver-types.ts';
import { parseInput, shorten } from '../../input/parsing.ts';
import { mapParallel } from '../../parallel.ts';
import { sizes } from '../../sizes.ts';
import { createUserKey, formatUserKey } from '../../users/derived.ts';
import { parseEmail } from '../../users/email.ts';
import type { FieldValue } from '../../users/fields/declaration.ts';
import { keyFields } from '../../users/fields/values.ts';
import { createUserInput } from '../../users/input.ts';
import { findOwners, type Upsert, upsertUser } from '../../users/upsert.ts';

/** Maximum items per mutation: 50 fit into the deadline and the size limit of a body. */
const MAX_ITEMS = 50;
/** Maximum parallel requests: more would slow each other down in a Lambda of this size. */
const MAX_PARALLEL = 10;

/** Longest id. The limit bounds the response, which repeats submitted ids at every alias. */
const MAX_ID_BYTES = 100;

type Outcome<Result> = { result: Result | undefined; error: ItemError | undefined };

/** Items with the same `findKey` run in the order of the input: the last change of a user wins. Others run in parallel. */
async function forEachItem<Item, Result>(
  items: readonly Item[],
  findKey: (item: Item) => string | null | undefined,
  run: (item: Item) => Promise<Result>,
): Promise<Outcome<Result>[]> {
  if (items.length < 1 || items.length > MAX_ITEMS)
    throw invalidInput(['users'], `must have from 1 to ${MAX_ITEMS} items`);
  const runItem = (item: Item) =>
    run(item).then(
      (result) => ({ result, error: undefined }),
      (error: unknown) => ({ result: undefined, error: toItemError(error) }),
    );
  const groups = Map.groupBy(items.entries(), ([at, item]) => findKey(item) ?? at);
  const outcomes: Outcome<Result>[] = [];
  const runGroup = async (group: [at: number, item: Item][]) => {
    for (const [at, item] of group) outcomes[at] = await runItem(item);
  };
  await mapParallel([...groups.values()], runGroup, MAX_PARALLEL);
  return outcomes;
}

const findCreationKey = ({ idempotencyKey }: { idempotencyKey?: string | null | undefined }) => idempotencyKey;
const findUserKey = ({ id }: { id: string }) => normalizeId(id);

function toItemError(error: unknown): ItemError {
  const { message, extensions = {} } = formatThrown(error);
  const { code, reason, version, issues } = extensions as Omit<ItemError, 'message'>;
  return {
    message,
    code,
    reason,
    version,
    issues: issues?.map(({ path, message }) => ({ path: path.map(String), message })),
  };
}

export const usersByIds = (async (_, { ids }, { users, budget }, info) => {
  if (ids.length > sizes.batchGet) throw invalidInput(['ids'], `must have at most ${sizes.batchGet} items`);
  const found = await Promise.all(ids.map((id) => users.load(normalizeId(id))));
  return budget.spendReturned(found, info);
}) satisfies QueryResolvers['usersByIds'];

export const usersByEmails = (async (_, { emails }, { users, budget }, info) => {
  if (emails.length > sizes.batchGet) throw invalidInput(['emails'], `must have at most ${sizes.batchGet} items`);
  budget.spendRead(emails.length * CLAIM_AND_USER);
  const keys = emails.map((text) => {
    const email = parseEmail(text);
    return email === undefined ? undefined : createUserKey('email', email);
  });
  const known = keys.filter((key) => key !== undefined);
  const owners = await findOwners(known);
  const byKey = new Map(known.map((key, at) => [formatUserKey(key), owners[at]?.owner?.user]));
  for (const user of byKey.values()) if (user) users.prime(user.id, user);
  const found = keys.map((key) => (key && byKey.get(formatUserKey(key))) ?? null);
  return budget.spendReturned(found, info);
}) satisfies QueryResolvers['usersByEmails'];

export const createUsers = (async (parent, { input: { users } }, context) => {
  context.budget.assertWritesLeft(users.length);
  const outcomes = await forEachItem(users, findCreationKey, (input) =>
    mutations.createUser(parent, { input: toRestValuesWithoutNull(input) }, context),
  );
  return { results: outcomes.map(({ result, error }) => ({ user: result?.user, error })) };
}) satisfies MutationResolvers['createUsers'];

export const updateUsers = (async (parent, { input: { users } }, context) => {
  context.budget.assertWritesLeft(users.length);
  const outcomes = await forEachItem(users, findUserKey, (input) =>
    mutations.updateUser(parent, { input: toRestValues(input) }, context),
  );
  return { results: outcomes.map(({ result, error }) => ({ user: result?.user, error })) };
}) satisfies MutationResolvers['updateUsers'];

export const deleteUsers = (async (parent, { input: { users } }, context) => {
  context.budget.assertWritesLeft(users.length);
  const outcomes = await forEachItem(users, findUserKey, (input) => mutations.deleteUser(parent, { input }, context));
  return { results: users.map(({ id }, at) => ({ id: shorten(id, MAX_ID_BYTES), error: outcomes[at]?.error })) };
}) satisfies MutationResolvers['deleteUsers'];

const OUTCOMES = { created: 'CREATED', updated: 'UPDATED', unchanged: 'UNCHANGED' } as const;

export const upsertUsers = (async (_, { input: { users, ...options } }, context) => {
  context.budget.assertWritesLeft(users.length);
  const field = options.by ?? 'email';
  if (!keyFields.includes(field)) throw invalidInput(['by'], `must be a unique field: ${keyFields.join(', ')}`);
  const keepsOmitted = options.keepOmitted ?? false;
  const rows = users.map((user) => parseRow(() => ({ ...parseUpsert(user, field), keepsOmitted })));
  const keys = rows.flatMap(({ upsert }) => (upsert ? [upsert.key] : []));
  const found = await findOwners(keys);
  const owners = new Map(keys.map((key, at) => [formatUserKey(key), found[at]]));
  const outcomes = await forEachItem(
    rows,
    ({ upsert }) => upsert && formatUserKey(upsert.key),
    async ({ upsert, error }) => {
      if (!upsert) throw error;
      const owner = owners.get(formatUserKey(upsert.key));
      // An earlier item may have changed the user that a later one with the same key finds.
      owners.delete(formatUserKey(upsert.key));
      const { user, outcome } = await upsertUser(upsert, startWrite(context), owner);
      return { user: primeUser(user, context), outcome: OUTCOMES[outcome] };
    },
  );
  return { results: outcomes.map(({ result, error }) => ({ user: result?.user, outcome: result?.outcome, error })) };
}) satisfies MutationResolvers['upsertUsers'];

type Row = { upsert: Upsert; error?: undefined } | { upsert?: undefined; error: unknown };

function parseRow(parse: () => Upsert): Row {
  try {
    return { upsert: parse() };
  } catch (error) {
    return { error };
  }
}

function parseUpsert(user: object, field: string): Upsert {
  const input = parseInput(createUserInput, toRestValuesWithoutNull(user));
  const key = createUserKey(field, new Map<string, FieldValue>(Object.entries(input)).get(field));
  if (!key) throw invalidInput([field], 'is required');
  return { key, input };
}
