import { dropChanges } from '../activity/feed.ts';
import { forgetName } from '../api/users.ts';
import { dismissAbout } from '../notices.tsx';
import { queryClient } from '../query-client.ts';
import { dropTitles, userDrafts } from './drafts.ts';

/** Removes the data of an erased person from this page, also unsaved changes. */
export function forgetPerson(id: string): void {
  userDrafts.drop(id);
  dropTitles(id);
  dismissAbout(id);
  forgetName(id);
  dropChanges(id);
  // Not `removeQueries`: a component that shows a removed query would wait for ever.
  for (const name of ['posts', 'history', 'deleted-name', 'earlier-records'])
    void queryClient.resetQueries({ queryKey: [name, id] });
  void queryClient.resetQueries({ queryKey: ['deleted-users'] });
}
