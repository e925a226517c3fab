import { ActionIcon, Badge, Box, Drawer, Group, Tabs, Text } from '@mantine/core';
import { useSplitter } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useState } from 'react';
import { calls } from '../api/calls.ts';
import { useCanReadHistory } from '../auth/token.ts';
import { lazyPart, nextPart } from '../lazy-part.tsx';
import { offer } from '../offer.ts';
import { useIsOutage } from '../outage/outage.ts';
import { useStore, useStored } from '../store.ts';
import classes from './dock.module.css';
import { type Feed, feed as feedStore } from './feed.ts';
import type { useChangeFeed } from './use-change-feed.ts';

const VIEWS = ['changes', 'log', 'deleted', 'requests'] as const;
export type ActivityView = (typeof VIEWS)[number];

const ChangeList = nextPart(async () => (await import('./change-list.tsx')).ChangeList);

const RequestList = lazyPart(async () => (await import('./request-list.tsx')).RequestList);

const DayLog = lazyPart(async () => (await import('./day-log.tsx')).DayLog);

const DeletedUsers = lazyPart(async () => (await import('./deleted-users.tsx')).DeletedUsers);

/** Only the change log names deleted users. */
export function useCanListDeleted(): boolean {
  const canReadHistory = useCanReadHistory();
  return useStore(offer).changes !== 'none' && canReadHistory;
}

export const useIsDeveloper = () => useStored('developer', false);

export function useActivity(isWide: boolean) {
  const [view, setView] = useStored<ActivityView>('activity', 'changes');
  const [isDocked, setDocked] = useStored('dock', false);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const setOpen = isWide ? setDocked : setDrawerOpen;
  const show = (shown: ActivityView) => {
    setView(shown);
    setOpen(true);
  };
  return { view, isOpen: isWide ? isDocked : isDrawerOpen, setOpen, show };
}

type Props = { activity: ReturnType<typeof useActivity>; isWide: boolean; feed: ReturnType<typeof useChangeFeed> };

export function ActivityDock({ activity: { view: chosen, isOpen, setOpen, show }, isWide, feed }: Props) {
  const { height, dockRef, edgeProps } = useDockHeight();
  const isDocked = isWide && isOpen;
  const isCovered = !isWide && isOpen;
  const [isDeveloper] = useIsDeveloper();
  const { changes } = useStore(offer);
  const canListDeleted = useCanListDeleted();
  const isShown = { changes: true, log: true, deleted: canListDeleted, requests: isDeveloper }[chosen];
  const view = isShown ? chosen : 'changes';
  const select = (value: string | null) => show(VIEWS.find((name) => name === value) ?? 'changes');
  const renderTabs = (hasPanels: boolean) => (
    <Tabs
      value={view}
      onChange={select}
      keepMounted={false}
      display="flex"
      h="100%"
      style={{ flexDirection: 'column' }}
    >
      <DockBar isOpen={hasPanels} onToggle={() => setOpen(!hasPanels)} />
      {hasPanels && (
        <Tabs.Panel key={view} value={view} style={{ overflow: 'auto' }}>
          {view === 'changes' && (changes === 'live' ? <ChangeList feed={feed} /> : <NotLive />)}
          {view === 'log' && (changes === 'none' ? <NotKept /> : <DayLog />)}
          {view === 'deleted' && <DeletedUsers />}
          {view === 'requests' && <RequestList />}
        </Tabs.Panel>
      )}
    </Tabs>
  );
  return (
    <>
      <Box
        component="section"
        ref={dockRef}
        aria-label="Activity"
        className={classes.dock}
        h={isDocked ? `${height}%` : undefined}
        // Hidden but not removed: the drawer returns the focus to a button in this element.
        style={{ visibility: isCovered ? 'hidden' : undefined }}
      >
        {isDocked && <div {...edgeProps} className={classes.edge} />}
        {renderTabs(isDocked)}
      </Box>
      <Drawer
        opened={isCovered}
        onClose={() => setOpen(false)}
        position="bottom"
        size="85%"
        padding={0}
        withCloseButton={false}
        // Below notices.
        zIndex={140}
        attributes={{ content: { 'aria-label': 'Activity' } }}
      >
        {renderTabs(true)}
      </Drawer>
    </>
  );
}

/** In percent of the column that contains the list and the dock. */
const LIST = { defaultSize: 68, min: 20, max: 82 };
const DOCK = { defaultSize: 32, min: 18, max: 80 };

function useDockHeight() {
  const [height, setHeight] = useStored('dock-height', DOCK.defaultSize);
  const { ref, getHandleProps } = useSplitter({
    panels: [LIST, DOCK],
    orientation: 'vertical',
    sizes: [100 - height, height],
    onSizeChange: ([, size]) => setHeight(Math.round(Number(size))),
    step: 4,
  });
  return {
    height,
    dockRef: (dock: HTMLElement | null) => ref(dock?.parentElement ?? null),
    edgeProps: { ...getHandleProps({ index: 0 }), 'aria-label': 'Height of the list' },
  };
}

function DockBar({ isOpen, onToggle }: { isOpen: boolean; onToggle: () => void }) {
  const { changes, status } = useStore(feedStore);
  const { length } = useStore(calls);
  const [isDeveloper] = useIsDeveloper();
  const canListDeleted = useCanListDeleted();
  return (
    <Group gap="xs" pr="sm" wrap="nowrap" style={{ borderBottom: '1px solid var(--edge)' }}>
      <Tabs.List flex={1} miw={0} className={classes.list} style={{ flexWrap: 'nowrap', overflowX: 'auto' }}>
        <Tabs.Tab value="changes" rightSection={<Count value={changes.length} />}>
          Changes
        </Tabs.Tab>
        <Tabs.Tab value="log">By day</Tabs.Tab>
        {canListDeleted && <Tabs.Tab value="deleted">Deleted users</Tabs.Tab>}
        {isDeveloper && (
          <Tabs.Tab value="requests" rightSection={<Count value={length} />}>
            Requests
          </Tabs.Tab>
        )}
      </Tabs.List>
      <FeedStatus status={status} />
      <ActionIcon aria-label={isOpen ? 'Hide activity' : 'Show activity'} aria-expanded={isOpen} onClick={onToggle}>
        {isOpen ? <IconChevronDown size={18} /> : <IconChevronUp size={18} />}
      </ActionIcon>
    </Group>
  );
}

/** Reserves space for the number, against layout shifts. */
const Count = ({ value }: { value: number }) => (
  <Badge
    size="sm"
    variant="default"
    flex="none"
    className={classes.count}
    style={{ visibility: value > 0 ? undefined : 'hidden' }}
  >
    {value}
  </Badge>
);

/** Shown without live changes: new AWS accounts have too few concurrent executions for streams. */
const NotLive = () => (
  <Text c="dimmed" size="sm" p="md" maw="44rem">
    This service sends no changes while they happen: its setting <code>maxStreams</code> is 0, which is the default in a
    new AWS account. The list is read again whenever you return to this page.
    {offer.get().changes === 'kept' && ' The tab By day shows who has changed what.'}
  </Text>
);

const NotKept = () => (
  <Text c="dimmed" size="sm" p="md" maw="44rem">
    This service keeps no changes. They are kept from the day on which somebody sets <code>historyDays</code>.
  </Text>
);

const STATUSES: Record<Feed['status'] | 'off', { label: string; color: string }> = {
  connecting: { label: 'Connecting', color: 'yellow' },
  live: { label: 'Live', color: 'teal' },
  paused: { label: 'Paused', color: 'gray' },
  failed: { label: 'Stopped', color: 'red' },
  off: { label: 'Not live', color: 'gray' },
};

function FeedStatus({ status }: { status: Feed['status'] }) {
  const { changes } = useStore(offer);
  const isOutage = useIsOutage();
  // A browser reports late that an open stream has lost its network.
  const streaming = isOutage && status === 'live' ? 'connecting' : status;
  const shown = changes === 'live' ? streaming : 'off';
  const { label, color } = STATUSES[shown];
  return (
    <Badge
      variant="dot"
      bd="none"
      bg="transparent"
      flex="none"
      fw={400}
      c="dimmed"
      color={color}
      className={classes.status}
      role="status"
      aria-label={`Changes: ${label}`}
    >
      <span className={shown === 'live' || shown === 'connecting' ? classes.usual : undefined}>{label}</span>
    </Badge>
  );
}
