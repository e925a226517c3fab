import type { QueryClient } from '@tanstack/react-query';
import { dismissAbout } from '../notices.ts';
import { closeUser } from '../route.ts';
import { dropDraft } from './drafts.ts';

/** Leaves nothing of a deleted user on the page, also where the change feed is paused. */
export function forgetUser(queryClient: QueryClient, id: string): Promise<void> {
  dropDraft(id);
  closeUser(id);
  dismissAbout(id);
  queryClient.setQueryData(['user', id], null);
  queryClient.removeQueries({ queryKey: ['posts', id] });
  return queryClient.invalidateQueries({ queryKey: ['users'] });
}
