import { Alert, Button, Text } from '@mantine/core';
import { ClientError, isInvalid } from '../../../lib/client/client.ts';
import { panelTitle, useRestoredFocus, usersTitle } from './focus.ts';
import { formatTime } from './format.ts';
import { isOutageStatus, useIsOutage } from './outage/outage.ts';
import { showAll, useRoute } from './route.ts';
import { changeFilter } from './users/filter.ts';

const useIsInBanner = (error: Error): boolean =>
  useIsOutage() && error instanceof ClientError && isOutageStatus(error.status);

type LoadErrorProps = { title: string; error: Error; onRetry: () => void };

export function LoadError({ title, error, onRetry }: LoadErrorProps) {
  useRestoredFocus(panelTitle);
  if (useIsInBanner(error)) return <Text c="dimmed">{title} now. It is read as soon as the service answers.</Text>;
  return (
    <Alert color="red" title={title}>
      {error.message}
      <Button mt="sm" size="xs" variant="default" display="block" onClick={() => onRetry()}>
        Try again
      </Button>
    </Alert>
  );
}

const HINTS: Record<number, string> = {
  401: 'The service requires a sign-in since this page was loaded. Reload the page.',
};
const LOCAL_HINTS: Record<number, string> = { ...HINTS, 0: 'Start the service with npm start, then try again.' };

type ListErrorProps = { error: Error; isLocal: boolean; onRetry: () => void };

export function ListError({ error, isLocal, onRetry }: ListErrorProps) {
  useRestoredFocus(usersTitle);
  const route = useRoute();
  if (useIsInBanner(error)) return null;
  if (error instanceof ClientError && error.status === 403) return <NoListRight />;
  const hint = error instanceof ClientError && (isLocal ? LOCAL_HINTS : HINTS)[error.status];
  const changedSince = findFirstKnownTime(error);
  if (changedSince)
    return (
      <Alert m="md" color="yellow" title="The service does not know such early changes">
        <Text size="sm">It knows all changes since {formatTime(new Date(changedSince))}.</Text>
        <Button mt="sm" size="xs" variant="default" onClick={() => changeFilter(route, { changedSince })}>
          Show the known changes
        </Button>
      </Alert>
    );
  return (
    <Alert m="md" color="red" title="The users cannot be listed">
      <Text size="sm">{error.message}</Text>
      {hint && <Text size="sm">{hint}</Text>}
      {/* An old link may name a page, time or value that the service rejects. */}
      <Button mt="sm" size="xs" variant="default" onClick={isInvalid(error) ? showAll : onRetry}>
        {isInvalid(error) ? 'Show all users' : 'Try again'}
      </Button>
    </Alert>
  );
}

/** Undefined unless the filter's time precedes the change log. Only the message contains the time. */
const findFirstKnownTime = (error: Error): string | undefined =>
  isInvalid(error)
    ? error.issues.find(({ path }) => path[0] === 'changedSince')?.message.match(/(?<=reaches back to )[^;]+/)?.[0]
    : undefined;

const NoListRight = () => (
  <Alert m="md" color="yellow" title="You may not list users">
    <Text size="sm">Ask those who run the service for that right, then sign in again.</Text>
    <Text size="sm">The id of a user, pasted into the search, opens that user.</Text>
  </Alert>
);
