import type { User } from '../../lib/users/user.ts';
import { createUser as create } from '../../lib/users/write.ts';

/** Creates a user directly with lib/users, without REST or GraphQL. */
export const createUser = async (input: Parameters<typeof create>[0]): Promise<User> =>
  (await create(input, 'test')).user;
