import { Drawer } from '@mantine/core';
import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import { ActivityDock } from './activity/activity-dock.tsx';
import { useChangeFeed } from './activity/use-change-feed.ts';
import { navigate, useRoute } from './route.ts';
import type { ConsoleSettings } from './settings.ts';
import { Header } from './shell/header.tsx';
import { Notices } from './shell/notices.tsx';
import { UserPanel } from './user/user-panel.tsx';
import { UsersPage } from './users/users-page.tsx';

/** Dialogs and menus have the keyboard for themselves. */
const isUncovered = () => document.querySelector('[role="dialog"], [role="menu"]') === null;

export function App({ settings }: { settings: ConsoleSettings }) {
  const { user } = useRoute();
  const feed = useChangeFeed();
  const isWide = useMediaQuery('(min-width: 64em)', true, { getInitialValueInEffect: false });
  const close = () => {
    navigate({ user: undefined });
    // The keyboard continues at the user that was open.
    document.querySelector<HTMLElement>('tr[aria-current] .user-link')?.focus();
  };
  useHotkeys([
    ['/', () => isUncovered() && document.getElementById('search')?.focus()],
    ['n', () => isUncovered() && navigate({ user: 'new' })],
    ['Escape', () => isUncovered() && close()],
  ]);
  return (
    <div className="app">
      <Header settings={settings} />
      <div className="body" data-split={(isWide && user !== undefined) || undefined}>
        <UsersPage newUserIds={feed.newUserIds} onShowNew={feed.showNew} />
        {isWide && user && (
          <aside className="panel" aria-label="User">
            <UserPanel key={user} id={user} onClose={close} />
          </aside>
        )}
      </div>
      <ActivityDock onShowLastHour={feed.showLastHour} onPause={feed.pause} onResume={feed.resume} isWide={isWide} />
      {!isWide && (
        <Drawer
          opened={user !== undefined}
          onClose={close}
          position="right"
          size="100%"
          withCloseButton={false}
          transitionProps={{ duration: 150 }}
          padding={0}
          attributes={{ content: { 'aria-label': 'User' } }}
        >
          {user && <UserPanel key={user} id={user} onClose={close} />}
        </Drawer>
      )}
      <Notices />
    </div>
  );
}
