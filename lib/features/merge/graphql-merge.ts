import * as z from 'zod/mini';
import { isUserId } from '../../dynamodb/keys.ts';
import { invalidInput, notFound } from '../../errors.ts';
import { clearPostLists, primeUser, readIdempotencyKey, startWrite } from '../../graphql/schema/mutations.ts';
import { toRestValues } from '../../graphql/schema/own-fields.ts';
import type { MutationResolvers } from '../../graphql/schema/resolver-types.ts';
import { parseInput } from '../../input/parsing.ts';
import { idempotencyKey, idInput } from '../../input/schemas.ts';
import { notInBody, updateUserInput } from '../../users/input.ts';
import { requireLog } from '../history/graphql-history.ts';
import { mergeUsers as merge } from './merge.ts';
import { undoMerge as undo } from './undo.ts';

const mergeUsersInput = z.strictObject({
  keep: idInput,
  remove: idInput,
  values: z.nullish(z.omit(updateUserInput, notInBody)),
  ifVersions: z.nullish(z.strictObject({ keep: z.int(), remove: z.int() })),
  idempotencyKey: z.nullish(idempotencyKey),
});

export const mergeUsers = (async (_, { input }, context) => {
  const values = input.values && toRestValues(input.values);
  const { idempotencyKey: key, ...parsed } = parseInput(mergeUsersInput, { ...input, values });
  if (parsed.keep === parsed.remove) throw invalidInput(['remove'], 'must be another user than keep');
  const user = await merge(parsed, startWrite(context), readIdempotencyKey(key, context.access));
  context.users.clear(parsed.remove);
  return clearPostLists({ user: primeUser(user, context) }, context);
}) satisfies MutationResolvers['mergeUsers'];

const undoMergeInput = z.strictObject({ id: idInput });

export const undoMerge = (async (_, { input }, context) => {
  const { id } = parseInput(undoMergeInput, input);
  requireLog();
  if (!isUserId(id)) throw notFound('User');
  const { kept, restored } = await undo(id, startWrite(context), (items) => context.budget.spendRead(items));
  return clearPostLists({ kept: primeUser(kept, context), restored: primeUser(restored, context) }, context);
}) satisfies MutationResolvers['undoMerge'];
