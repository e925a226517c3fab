import { ActionIcon, Badge, Group, Tabs } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { type CSSProperties, useRef, useState } from 'react';
import { calls } from '../api/calls.ts';
import { useStore } from '../store.ts';
import { ChangeList } from './change-list.tsx';
import classes from './dock.module.css';
import { DockDrawer } from './dock-drawer.tsx';
import { DockResizer, useDockHeight } from './dock-resizer.tsx';
import { type Feed, feed } from './feed.ts';
import { RequestList } from './request-list.tsx';

export type ActivityView = 'changes' | 'requests';

/** Returns which activity is shown, if any. On a wide screen, the browser keeps whether the dock is open. */
export function useActivity(isWide: boolean) {
  const [view, setView] = useLocalStorage<ActivityView>({
    key: 'activity',
    defaultValue: 'changes',
    getInitialValueInEffect: false,
  });
  const [isDocked, setDocked] = useLocalStorage({ key: 'dock', defaultValue: false, getInitialValueInEffect: false });
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const setOpen = isWide ? setDocked : setDrawerOpen;
  const show = (shown: ActivityView) => {
    setView(shown);
    setOpen(true);
  };
  return { view, isOpen: isWide ? isDocked : isDrawerOpen, setOpen, show };
}

type Props = {
  activity: ReturnType<typeof useActivity>;
  isWide: boolean;
  onPause: () => void;
  onResume: () => void;
  onShowLastHour: () => void;
};

/** Shows changes and requests below the page once its bar is opened; on a small screen, they cover the page. */
export function ActivityDock({ activity: { view, isOpen, setOpen, show }, isWide, ...actions }: Props) {
  const [height, setHeight] = useDockHeight();
  const dock = useRef<HTMLElement>(null);
  const select = (value: string | null) => show(value === 'requests' ? 'requests' : 'changes');
  const tabs = (
    <Tabs value={view} onChange={select} keepMounted={false} className={classes.tabs}>
      <DockBar isOpen={isOpen} onToggle={() => setOpen(!isOpen)} onSelect={select} />
      {isOpen && (
        <>
          <Tabs.Panel value="changes" className={classes.panel}>
            <ChangeList {...actions} />
          </Tabs.Panel>
          <Tabs.Panel value="requests" className={classes.panel}>
            <RequestList />
          </Tabs.Panel>
        </>
      )}
    </Tabs>
  );
  return (
    <>
      <section
        ref={dock}
        className="dock"
        aria-label="Activity"
        data-open={(isWide && isOpen) || undefined}
        style={{ '--dock-height': `${height}vh` } as CSSProperties}
      >
        {isWide && isOpen && <DockResizer height={height} onResize={setHeight} />}
        {isWide || !isOpen ? tabs : null}
      </section>
      {!isWide && isOpen && (
        <DockDrawer dock={dock} onClose={() => setOpen(false)}>
          {tabs}
        </DockDrawer>
      )}
    </>
  );
}

type BarProps = { isOpen: boolean; onToggle: () => void; onSelect: (value: string) => void };

function DockBar({ isOpen, onToggle, onSelect }: BarProps) {
  const { changes, status } = useStore(feed);
  const { length } = useStore(calls);
  return (
    <Group gap="xs" pr="sm" wrap="nowrap" className={classes.bar}>
      <Tabs.List className={classes.list}>
        <Tabs.Tab value="changes" rightSection={<Count value={changes.length} />} onClick={() => onSelect('changes')}>
          Changes
        </Tabs.Tab>
        <Tabs.Tab value="requests" rightSection={<Count value={length} />} onClick={() => onSelect('requests')}>
          Requests
        </Tabs.Tab>
      </Tabs.List>
      <FeedStatus status={status} />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={isOpen ? 'Hide activity' : 'Show activity'}
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        {isOpen ? <IconChevronDown size={18} /> : <IconChevronUp size={18} />}
      </ActionIcon>
    </Group>
  );
}

const Count = ({ value }: { value: number }) =>
  value > 0 ? (
    <Badge size="sm" variant="default" flex="none" className={classes.count}>
      {value}
    </Badge>
  ) : null;

const LABELS: Record<Feed['status'], string> = {
  connecting: 'Connecting',
  live: 'Live',
  paused: 'Paused',
  failed: 'Stopped',
};

const COLORS: Record<Feed['status'], string> = { connecting: 'yellow', live: 'teal', paused: 'gray', failed: 'red' };

const FeedStatus = ({ status }: { status: Feed['status'] }) => (
  <Badge
    variant="dot"
    bd="none"
    bg="transparent"
    flex="none"
    fw={400}
    c="dimmed"
    color={COLORS[status]}
    role="status"
    aria-label={`Changes: ${LABELS[status]}`}
  >
    {LABELS[status]}
  </Badge>
);
