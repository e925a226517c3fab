import { useQueryClient } from '@tanstack/react-query';
import type { User } from '../api/user-details.ts';
import { type UserInput, updateUser } from '../api/users.ts';
import { notify } from '../notices.ts';

/** Saves what differs from the base, provided the user still has its version, and offers to undo it. */
export function useSaveUser() {
  const queryClient = useQueryClient();
  const refresh = (id: string) =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: ['user', id] }),
      queryClient.invalidateQueries({ queryKey: ['users'] }),
    ]);
  return async (base: User, input: UserInput): Promise<void> => {
    const changed = findChangedFields(base, input);
    const version = await updateUser(base.id, base.version, changed);
    await refresh(base.id);
    const before = Object.fromEntries(Object.keys(changed).map((field) => [field, base[field as keyof UserInput]]));
    notify({
      message: `Saved ${input.name} as version ${version}`,
      tone: 'done',
      // The condition keeps the undo from overwriting a later change.
      undo: async () => {
        await updateUser(base.id, version, before);
        await refresh(base.id);
      },
    });
  };
}

export function findChangedFields(base: UserInput, input: UserInput): Partial<UserInput> {
  return {
    ...(input.name === base.name ? {} : { name: input.name }),
    ...(input.email === base.email ? {} : { email: input.email }),
  };
}
