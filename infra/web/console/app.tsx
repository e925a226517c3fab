import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import { ActivityDock } from './activity/activity-dock.tsx';
import { useChangeFeed } from './activity/use-change-feed.ts';
import { Header } from './header.tsx';
import { Notices } from './notices.tsx';
import { closeUser, useRoute } from './route.ts';
import type { ConsoleSettings } from './settings.ts';
import { UserPanel } from './user/user-panel.tsx';
import { UsersPage } from './users/users-page.tsx';

const OVERLAYS = '[role="dialog"], [role="menu"]';

const keysForOverlays = new WeakSet<Event>();

// This listener comes before those of the components, which are rendered later and may be removed at this event.
addEventListener(
  'keydown',
  (event) => {
    if (document.querySelector(OVERLAYS)) keysForOverlays.add(event);
  },
  { capture: true },
);

/** Keys that are pressed while a dialog or menu is open are meant for it, including the one that closes it. */
const isForPage = (event: KeyboardEvent): boolean => !keysForOverlays.has(event);

export function App({ settings }: { settings: ConsoleSettings }) {
  const { user } = useRoute();
  const feed = useChangeFeed();
  const isWide = useMediaQuery('(min-width: 64em)', true, { getInitialValueInEffect: false });
  const isCovered = user !== undefined && !isWide;
  useHotkeys([['Escape', (event) => isForPage(event) && user && closeUser(user)]]);
  // The keys work while typing, too: no tags are ignored.
  useHotkeys([['mod+K', (event) => isForPage(event) && document.getElementById('search')?.focus()]], []);
  return (
    <div className="app">
      <div className="body" inert={isCovered} data-split={(isWide && user !== undefined) || undefined}>
        <Header settings={settings} />
        <UsersPage isLocal={settings.data !== undefined} newUserIds={feed.newUserIds} onShowNew={feed.showNew} />
      </div>
      {user && (
        <section className="panel" aria-label="User" role={isCovered ? 'main' : 'complementary'}>
          <UserPanel key={user} id={user} headingLevel={isCovered ? 1 : 2} />
        </section>
      )}
      {!isCovered && (
        <ActivityDock onShowLastHour={feed.showLastHour} onPause={feed.pause} onResume={feed.resume} isWide={isWide} />
      )}
      <Notices />
    </div>
  );
}
