import { Button, Notification } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useLayoutEffect, useState } from 'react';
import { restoreFocus, usePassedFocus } from '../focus.ts';
import { dismiss, type Notice, notices, notify } from '../notices.ts';
import { useStore } from '../store.ts';

export function Notices() {
  const all = useStore(notices);
  const show = (tone: Notice['tone']) =>
    all.filter((notice) => notice.tone === tone).map((notice) => <NoticeCard key={notice.number} notice={notice} />);
  const { ref, height } = useElementSize();
  useLayoutEffect(() => {
    const covered = height > 0 ? `calc(${height}px + 2rem)` : '0px';
    document.documentElement.style.setProperty('--notices-height', covered);
  }, [height]);
  return (
    <div className="notices" ref={ref}>
      <div role="status">{show('done')}</div>
      <div role="alert">{show('error')}</div>
    </div>
  );
}

/** Where the keyboard continues without the notice. */
const NEXT = ['.panel-title', '.toolbar-new'] as const;

function NoticeCard({ notice: { number, message, tone, undo } }: { notice: Notice }) {
  const [isUndoing, setUndoing] = useState(false);
  // Notices can go while they are used: after some time, or as later ones come.
  const card = usePassedFocus<HTMLDivElement>(...NEXT);
  const close = () => {
    restoreFocus(...NEXT);
    dismiss(number);
  };
  const run = async () => {
    setUndoing(true);
    await undo?.().then(
      () => notify({ message: `Undone: ${message}`, tone: 'done' }),
      (error: Error) => notify({ message: `Not undone: ${error.message}`, tone: 'error' }),
    );
    close();
  };
  return (
    <Notification
      ref={card}
      role="group"
      color={tone === 'error' ? 'red' : 'teal'}
      withBorder
      onClose={close}
      closeButtonProps={{ 'aria-label': 'Dismiss' }}
    >
      <span className="notice">
        <span className="notice-message">{message}</span>
        {undo && (
          <Button size="compact-sm" variant="light" loading={isUndoing} onClick={run}>
            Undo
          </Button>
        )}
      </span>
    </Notification>
  );
}
