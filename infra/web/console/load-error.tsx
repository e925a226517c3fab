import { Alert, Button, Text } from '@mantine/core';
import { ClientError, isInvalid } from '../../../lib/client/client.ts';
import { panelTitle, useRestoredFocus, usersTitle } from './focus.ts';
import { isOutageStatus, useIsOutage } from './outage/outage.ts';
import { showList } from './route.ts';

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
  if (useIsInBanner(error)) return null;
  if (error instanceof ClientError && error.status === 403) return <NoListRight />;
  const hint = error instanceof ClientError && (isLocal ? LOCAL_HINTS : HINTS)[error.status];
  return (
    <Alert m="md" color="red" title="The users cannot be listed">
      <Text size="sm">{error.message}</Text>
      {hint && <Text size="sm">{hint}</Text>}
      <Button mt="sm" size="xs" variant="default" onClick={isInvalid(error) ? showAll : onRetry}>
        {isInvalid(error) ? 'Show all users' : 'Try again'}
      </Button>
    </Alert>
  );
}

/** An old link may name a page, time or value that the service rejects. */
const showAll = () => showList({ q: '', filter: {}, sort: undefined, order: 'desc' });

const NoListRight = () => (
  <Alert m="md" color="yellow" title="You may not list users">
    <Text size="sm">Ask those who run the service for that right, then sign in again.</Text>
    <Text size="sm">The id of a user, pasted into the search, opens that user.</Text>
  </Alert>
);
