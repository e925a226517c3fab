import { Button, Notification } from '@mantine/core';
import { useState } from 'react';
import { dismiss, type Notice, notices, notify } from '../notices.ts';
import { useStore } from '../store.ts';

export const Notices = () => (
  <div className="notices" role="status" aria-live="polite">
    {useStore(notices).map((notice) => (
      <NoticeCard key={notice.number} notice={notice} />
    ))}
  </div>
);

function NoticeCard({ notice: { number, message, tone, undo } }: { notice: Notice }) {
  const [isUndoing, setUndoing] = useState(false);
  const run = async () => {
    setUndoing(true);
    await undo?.().then(
      () => notify({ message: `Undone: ${message}`, tone: 'done' }),
      (error: Error) => notify({ message: `Not undone: ${error.message}`, tone: 'error' }),
    );
    dismiss(number);
  };
  return (
    <Notification
      color={tone === 'error' ? 'red' : 'teal'}
      withBorder
      onClose={() => dismiss(number)}
      closeButtonProps={{ 'aria-label': 'Dismiss' }}
    >
      <span className="notice">
        {message}
        {undo && (
          <Button size="compact-sm" variant="light" loading={isUndoing} onClick={run}>
            Undo
          </Button>
        )}
      </span>
    </Notification>
  );
}
