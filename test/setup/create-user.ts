import type { User } from '../../lib/users/user.ts';
import { createUser as create } from '../../lib/users/write.ts';

export const createUser = async (input: Parameters<typeof create>[0]): Promise<User> =>
  (await create(input, 'test')).user;
