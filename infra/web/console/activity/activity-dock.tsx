import { ActionIcon, Tabs } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type CSSProperties, useState } from 'react';
import { calls } from '../api/calls.ts';
import { ChevronIcon } from '../icons.tsx';
import { useStore } from '../store.ts';
import { ChangeList } from './change-list.tsx';
import { DockDrawer } from './dock-drawer.tsx';
import { DockResizer, useDockHeight } from './dock-resizer.tsx';
import { type Feed, feed } from './feed.ts';
import { RequestList } from './request-list.tsx';

type Props = { isWide: boolean; onPause: () => void; onResume: () => void; onShowLastHour: () => void };

type View = 'changes' | 'requests';

/** Shows changes and requests below the page once its bar is opened; on a small screen, they cover the page. */
export function ActivityDock({ isWide, ...actions }: Props) {
  const [view, setView] = useLocalStorage<View>({
    key: 'activity',
    defaultValue: 'changes',
    getInitialValueInEffect: false,
  });
  const [isDocked, setDocked] = useLocalStorage({ key: 'dock', defaultValue: false, getInitialValueInEffect: false });
  const [height, setHeight] = useDockHeight();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const isOpen = isWide ? isDocked : isDrawerOpen;
  const setOpen = isWide ? setDocked : setDrawerOpen;
  const select = (value: string | null) => {
    setView(value === 'requests' ? 'requests' : 'changes');
    setOpen(true);
  };
  const tabs = (
    <Tabs value={view} onChange={select} keepMounted={false} className="dock-tabs">
      <DockBar isOpen={isOpen} onToggle={() => setOpen(!isOpen)} onSelect={select} />
      {isOpen && (
        <>
          <Tabs.Panel value="changes" className="dock-panel">
            <ChangeList {...actions} />
          </Tabs.Panel>
          <Tabs.Panel value="requests" className="dock-panel">
            <RequestList />
          </Tabs.Panel>
        </>
      )}
    </Tabs>
  );
  return (
    <>
      <section
        className="dock"
        aria-label="Activity"
        data-open={(isWide && isOpen) || undefined}
        style={{ '--dock-height': `${height}vh` } as CSSProperties}
      >
        {isWide && isOpen && <DockResizer height={height} onResize={setHeight} />}
        {isWide || !isOpen ? tabs : null}
      </section>
      {!isWide && isDrawerOpen && <DockDrawer onClose={() => setDrawerOpen(false)}>{tabs}</DockDrawer>}
    </>
  );
}

type BarProps = { isOpen: boolean; onToggle: () => void; onSelect: (value: string) => void };

function DockBar({ isOpen, onToggle, onSelect }: BarProps) {
  const { changes, status } = useStore(feed);
  const { length } = useStore(calls);
  return (
    <div className="dock-bar">
      <Tabs.List>
        <Tabs.Tab
          value="changes"
          className="dock-changes"
          rightSection={<Count value={changes.length} />}
          onClick={() => onSelect('changes')}
        >
          Changes
        </Tabs.Tab>
        <Tabs.Tab
          value="requests"
          className="dock-requests"
          rightSection={<Count value={length} />}
          onClick={() => onSelect('requests')}
        >
          Requests
        </Tabs.Tab>
      </Tabs.List>
      <FeedStatus status={status} />
      <ActionIcon
        variant="subtle"
        color="gray"
        className="dock-toggle"
        data-open={isOpen || undefined}
        aria-label={isOpen ? 'Hide activity' : 'Show activity'}
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <ChevronIcon />
      </ActionIcon>
    </div>
  );
}

const Count = ({ value }: { value: number }) => (value > 0 ? <span className="count">{value}</span> : null);

const LABELS: Record<Feed['status'], string> = {
  connecting: 'Connecting',
  live: 'Live',
  paused: 'Paused',
  failed: 'Stopped',
};

const FeedStatus = ({ status }: { status: Feed['status'] }) => (
  <span className="feed-status" data-status={status} role="status" aria-label={`Changes: ${LABELS[status]}`}>
    {LABELS[status]}
  </span>
);
