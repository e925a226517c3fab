import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { ActivityDock, useActivity } from './activity/activity-dock.tsx';
import { useChangeFeed } from './activity/use-change-feed.ts';
import classes from './app.module.css';
import { accessToken, awaitToken } from './auth/access-token.ts';
import { findReturnPath } from './auth/sign-in.ts';
import { useCanWrite } from './auth/token.ts';
import { Header } from './header.tsx';
import { ImportLauncher } from './import/import-launcher.tsx';
import { usePageKeys } from './keys.ts';
import { lazyPart, MissingDialog, nextPart } from './lazy-part.tsx';
import { Notices } from './notices.tsx';
import { OutageBanner } from './outage/outage-banner.tsx';
import { findMembershipField } from './own-fields.ts';
import { Overlays } from './palette/overlays.tsx';
import { useRoute } from './route.ts';
import type { ConsoleSettings } from './settings.ts';
import { useStore } from './store.ts';
import { UsersPage } from './users/users-page.tsx';

const GroupsPage = lazyPart(async () => (await import('./groups/groups-page.tsx')).GroupsPage);

const UserPanel = nextPart(async () => (await import('./user/user-panel.tsx')).UserPanel);

const SignInCard = nextPart(async () => (await import('./auth/sign-in-card.tsx')).SignInCard);

const SignInDialog = nextPart(async () => (await import('./auth/sign-in-card.tsx')).SignInDialog, MissingDialog);

const CompareUsers = lazyPart(async () => (await import('./user/compare-users.tsx')).CompareUsers, MissingDialog);

/** No request precedes the sign-in. When the token expires later, the page stays mounted. */
export function App({ settings }: { settings: ConsoleSettings }) {
  const isSignedOut = useStore(accessToken) === undefined && settings.auth.kind !== 'none';
  const [hasBegun, setBegun] = useState(!isSignedOut);
  if (!isSignedOut && !hasBegun) setBegun(true);
  const returnPath = findReturnPath(settings);
  useEffect(() => {
    if (isSignedOut || !returnPath) return;
    // Renews an expired token first. The console stays open if the issuer cannot be reached.
    awaitToken().then(
      () => location.replace(returnPath),
      () => {},
    );
  }, [isSignedOut, returnPath]);
  if (hasBegun)
    return (
      <>
        <Console settings={settings} />
        {isSignedOut && <SignInDialog settings={settings.auth} />}
      </>
    );
  return (
    <div className={classes.app}>
      <Header settings={settings} />
      <SignInCard settings={settings.auth} />
      <Notices />
    </div>
  );
}

function Console({ settings }: { settings: ConsoleSettings }) {
  const { user, compare, groups } = useRoute();
  const feed = useChangeFeed();
  const canWrite = useCanWrite();
  const isWide = useMediaQuery('(min-width: 64em)', true, { getInitialValueInEffect: false });
  const activity = useActivity(isWide);
  const isLocal = settings.data !== undefined;
  const isCovered = user !== undefined && !isWide;
  usePageKeys();
  return (
    <div className={classes.app}>
      {!isCovered && <Header settings={settings} />}
      <OutageBanner isLocal={isLocal} />
      <div className={classes.content}>
        <div className={classes.column} inert={isCovered}>
          <div className={classes.list}>
            {groups && findMembershipField() ? (
              <GroupsPage shown={groups} />
            ) : (
              <UsersPage isLocal={isLocal} newUserIds={feed.newUserIds} onShowNew={feed.showNew} />
            )}
          </div>
          {!isCovered && <ActivityDock activity={activity} isWide={isWide} feed={feed} />}
        </div>
        {user && (
          <section className={classes.panel} aria-label="User" role={isCovered ? 'main' : 'complementary'}>
            <UserPanel key={user} id={user} headingLevel={isCovered ? 1 : 2} />
          </section>
        )}
      </div>
      {canWrite && <ImportLauncher />}
      {compare && <CompareUsers key={compare} ids={compare} />}
      <Notices />
      <Overlays settings={settings} onShowActivity={activity.show} />
    </div>
  );
}
