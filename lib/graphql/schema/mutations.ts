import * as z from 'zod/mini';
import { type Actor, formatCaller } from '../../auth/caller.ts';
import { chooseErasure } from '../../features/erasure/graphql-erasure.ts';
import { createIdempotencyKey, type IdempotencyKey } from '../../idempotency.ts';
import { parseInput } from '../../input/parsing.ts';
import { idempotencyKey } from '../../input/schemas.ts';
import { createPostInput, deletePostInput, publishPostInput, updatePostInput } from '../../posts/input.ts';
import { createPost, deletePost, publishPost, updatePost } from '../../posts/write.ts';
import { deleteUser } from '../../users/delete.ts';
import { createUserInput, deleteUserInput, replaceUserInput, updateUserInput } from '../../users/input.ts';
import type { User } from '../../users/user.ts';
import { createUser, replaceUser, updateUser } from '../../users/write.ts';
import type { Access } from '../authenticate.ts';
import type { GraphqlContext } from '../context.ts';
import type { DeleteUserPayload, MutationResolvers } from './resolver-types.ts';

const idempotencyInput = z.object({ idempotencyKey: z.nullish(idempotencyKey) });

export const mutations = {
  async createUser(_, { input: { idempotencyKey, ...input } }, context) {
    const { idempotencyKey: key } = parseInput(idempotencyInput, { idempotencyKey });
    const { user } = await createUser(
      parseInput(createUserInput, input),
      startWrite(context),
      readIdempotencyKey(key, context.access),
    );
    return { user };
  },
  async replaceUser(_, { input }, context) {
    const whole = parseInput(replaceUserInput, toVersions(input));
    return { user: primeUser(await replaceUser(whole, startWrite(context)), context) };
  },
  async updateUser(_, { input }, context) {
    const changes = parseInput(updateUserInput, toVersions(input));
    return { user: primeUser(await updateUser(changes, startWrite(context)), context) };
  },
  async deleteUser(_, { input }, context): Promise<DeleteUserPayload> {
    const run = chooseErasure(input, context.access) ?? deleteUser;
    // The strict core schema rejects members that features add to the input, such as `erase`.
    const { id, ifVersion } = input;
    const deletion = parseInput(deleteUserInput, toVersions({ id, ifVersion }));
    await run(deletion, startWrite(context));
    context.users.clear(deletion.id);
    return clearPostLists({ id: deletion.id }, context);
  },
  async createPost(_, { input }, context) {
    const post = parseInput(createPostInput, input);
    const key = readIdempotencyKey(post.idempotencyKey, context.access);
    return clearPostLists({ post: await createPost(post, startWrite(context), key) }, context);
  },
  updatePost: async (_, { input }, context) =>
    clearPostLists({ post: await updatePost(parseInput(updatePostInput, input), startWrite(context)) }, context),
  publishPost: async (_, { input }, context) =>
    clearPostLists({ post: await publishPost(parseInput(publishPostInput, input), startWrite(context)) }, context),
  deletePost: async (_, { input }, context) =>
    clearPostLists(await deletePost(parseInput(deletePostInput, input), startWrite(context)), context),
} satisfies MutationResolvers;

export function startWrite({ access, budget }: GraphqlContext): Actor {
  budget.spendWrite();
  return formatCaller(access.caller);
}

export const readIdempotencyKey = (key: string | null | undefined, { caller }: Access): IdempotencyKey | undefined =>
  key == null ? undefined : createIdempotencyKey('idempotencyKey', key, caller);

/** Converts one version to a list, because REST's If-Match may have several. */
function toVersions<Input extends { ifVersion?: number | null | undefined }>({ ifVersion, ...input }: Input) {
  return ifVersion == null ? input : { ...input, ifVersion: [{ version: ifVersion }] };
}

/** Caches the written user for later fields of the request. */
export function primeUser(user: User, { users }: GraphqlContext): User {
  users.clear(user.id).prime(user.id, user);
  return user;
}

export function clearPostLists<Payload>(payload: Payload, { postLists }: GraphqlContext): Payload {
  postLists.clearAll();
  return payload;
}
