import type { Feed } from './feed.ts';

const LABELS: Record<Feed['status'], string> = {
  connecting: 'Connecting',
  live: 'Live',
  paused: 'Paused',
  failed: 'Stopped',
};

export const FeedStatus = ({ status }: { status: Feed['status'] }) => (
  <span className="feed-status" data-status={status} role="status" aria-label={`Changes: ${LABELS[status]}`}>
    {LABELS[status]}
  </span>
);
