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
import type { GraphqlContext } from '../context.ts';
import type { MutationResolvers } from './resolver-types.ts';

const idempotencyInput = z.object({ idempotencyKey: idempotencyKey.nullish() });

/** Each input is validated by the schema that REST uses for the same operation. */
export const mutations: Required<MutationResolvers> = {
  async createUser(_, { input: { idempotencyKey, ...input } }, { access: { caller } }) {
    const { idempotencyKey: key } = parseInput(idempotencyInput, { idempotencyKey });
    return { user: await createUser(parseInput(createUserInput, input), key ? { key, caller } : undefined) };
  },
  replaceUser: async (_, { input }, context) => ({
    user: primeUser(await updateUser(parseInput(replaceUserInput, toVersions(input))), context),
  }),
  updateUser: async (_, { input }, context) => ({
    user: primeUser(await updateUser(parseInput(updateUserInput, toVersions(input))), context),
  }),
  async deleteUser(_, { input }, { users }) {
    const { id } = await deleteUser(parseInput(deleteUserInput, toVersions(input)));
    users.clear(id);
    return { id };
  },
  createPost: async (_, { input }, { access }) => ({
    post: await createPost(parseInput(createPostInput, input), access.caller),
  }),
  updatePost: async (_, { input }) => ({ post: await updatePost(parseInput(updatePostInput, input)) }),
  publishPost: async (_, { input }) => ({ post: await publishPost(parseInput(publishPostInput, input)) }),
  deletePost: (_, { input }) => deletePost(parseInput(deletePostInput, input)),
};

/** REST's If-Match lists several versions; GraphQL accepts one. */
function toVersions<Input extends { ifVersion?: number | null | undefined }>({ ifVersion, ...input }: Input) {
  return ifVersion == null ? input : { ...input, ifVersion: [ifVersion] };
}

/** Makes later fields of the request see the user as the write left it. */
function primeUser(user: User, { users }: GraphqlContext): User {
  users.clear(user.id).prime(user.id, user);
  return user;
}
