import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { ActivityDock, useActivity } from './activity/activity-dock.tsx';
import { useChangeFeed } from './activity/use-change-feed.ts';
import { accessToken } from './auth/access-token.ts';
import { findReturnPath } from './auth/sign-in.ts';
import { SignInCard, SignInDialog } from './auth/sign-in-card.tsx';
import { useCanWrite } from './auth/token.ts';
import { Header } from './header.tsx';
import { ImportLauncher } from './import/import-launcher.tsx';
import { usePageKeys, watchKeys } from './keys.ts';
import { Notices } from './notices.tsx';
import { OutageBanner } from './outage/outage-banner.tsx';
import { Overlays } from './palette/overlays.tsx';
import { useRoute } from './route.ts';
import type { ConsoleSettings } from './settings.ts';
import { useStore } from './store.ts';
import { UserPanel } from './user/user-panel.tsx';
import { UsersPage } from './users/users-page.tsx';

watchKeys();

/** Nothing is requested before somebody has signed in, if the service asks for it. What is shown and runs then stays when the token expires. */
export function App({ settings }: { settings: ConsoleSettings }) {
  const isSignedOut = useStore(accessToken) === undefined && settings.auth.kind !== 'none';
  const [hasBegun, setBegun] = useState(!isSignedOut);
  if (!isSignedOut && !hasBegun) setBegun(true);
  const returnPath = findReturnPath(settings);
  useEffect(() => {
    if (!isSignedOut && returnPath) location.replace(returnPath);
  }, [isSignedOut, returnPath]);
  if (hasBegun)
    return (
      <>
        <Console settings={settings} />
        {isSignedOut && <SignInDialog settings={settings.auth} />}
      </>
    );
  return (
    <div className="app">
      <Header settings={settings} />

      <SignInCard settings={settings.auth} />

      <Notices />
    </div>
  );
}

function Console({ settings }: { settings: ConsoleSettings }) {
  const { user } = useRoute();
  const feed = useChangeFeed();
  const canWrite = useCanWrite();
  const isWide = useMediaQuery('(min-width: 64em)', true, { getInitialValueInEffect: false });
  const isCovered = user !== undefined && !isWide;
  const activity = useActivity(isWide);
  const isLocal = settings.data !== undefined;
  usePageKeys();
  return (
    <div className="app">
      <div className="body" inert={isCovered} data-split={(isWide && user !== undefined) || undefined}>
        <Header settings={settings} />
        {!isCovered && <OutageBanner isLocal={isLocal} />}
        <UsersPage isLocal={isLocal} newUserIds={feed.newUserIds} onShowNew={feed.showNew} />
      </div>
      {user && (
        <section className="panel" aria-label="User" role={isCovered ? 'main' : 'complementary'}>
          {isCovered && <OutageBanner isLocal={isLocal} />}

          <UserPanel key={user} id={user} headingLevel={isCovered ? 1 : 2} />
        </section>
      )}
      {!isCovered && (
        <ActivityDock
          onShowLastHour={feed.showLastHour}
          onPause={feed.pause}
          onResume={feed.resume}
          activity={activity}
          isWide={isWide}
        />
      )}
      {canWrite && <ImportLauncher />}
      <Notices />
      <Overlays settings={settings} onShowActivity={activity.show} />
    </div>
  );
}
