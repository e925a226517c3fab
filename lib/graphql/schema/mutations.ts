import * as z from 'zod';
import { idempotencyKey } from '../../idempotency.ts';
import { createPost } from '../../posts/create.ts';
import { deletePost } from '../../posts/delete.ts';
import { publishPost } from '../../posts/publish.ts';
import { updatePost } from '../../posts/update.ts';
import { createPostInput, deletePostInput, publishPostInput, updatePostInput } from '../../posts/schema.ts';
import { createUser } from '../../users/create.ts';
import { deleteUser } from '../../users/delete.ts';
import { createUserInput, deleteUserInput, replaceUserInput, type User, updateUserInput } from '../../users/schema.ts';
import { updateUser } from '../../users/update.ts';
import { parseInput } from '../../validation.ts';
import type { Context } from '../context.ts';

type Arguments = { input: Record<string, unknown> };
const key = z.object({ idempotencyKey: idempotencyKey.nullish() });

/** Each takes one input, validated by the schema that its operation has at every door. */
export const mutations = {
  async createUser(_: unknown, { input: { idempotencyKey, ...input } }: Arguments, { access }: Context) {
    const retry = parseInput(key, { idempotencyKey }).idempotencyKey;
    return {
      user: await createUser(
        parseInput(createUserInput, input),
        retry ? { key: retry, caller: access.caller } : undefined,
      ),
    };
  },
  replaceUser: async (_: unknown, { input }: Arguments, context: Context) => ({
    user: primeUser(await updateUser(parseInput(replaceUserInput, atVersion(input))), context),
  }),
  updateUser: async (_: unknown, { input }: Arguments, context: Context) => ({
    user: primeUser(await updateUser(parseInput(updateUserInput, atVersion(input))), context),
  }),
  async deleteUser(_: unknown, { input }: Arguments, { users }: Context) {
    const { id } = await deleteUser(parseInput(deleteUserInput, atVersion(input)));
    users.clear(id);
    return { id };
  },
  createPost: async (_: unknown, { input }: Arguments, { access }: Context) => ({
    post: await createPost(parseInput(createPostInput, input), access.caller),
  }),
  updatePost: async (_: unknown, { input }: Arguments) => ({
    post: await updatePost(parseInput(updatePostInput, input)),
  }),
  publishPost: async (_: unknown, { input }: Arguments) => ({
    post: await publishPost(parseInput(publishPostInput, input)),
  }),
  deletePost: (_: unknown, { input }: Arguments) => deletePost(parseInput(deletePostInput, input)),
};

const atVersion = ({ ifVersion, ...input }: Record<string, unknown>) =>
  ifVersion == null ? input : { ...input, ifVersion: [ifVersion] };

/** Later fields of the same request see what the write left. */
function primeUser(user: User, { users }: Context): User {
  users.clear(user.id).prime(user.id, user);
  return user;
}
