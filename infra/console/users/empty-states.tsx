import { Alert, Button, Code, EmptyState, Text } from '@mantine/core';
import { ApiError } from '../api/errors.ts';
import { PlusIcon, SearchIcon, UsersIcon } from '../icons.tsx';
import { navigate } from '../route.ts';

export const NoUsers = () => (
  <EmptyState
    className="empty"
    icon={<UsersIcon size={30} />}
    variant="light"
    title="No users yet"
    description="Create the first one here, or through the API: it appears in this list and among the changes below."
  >
    <EmptyState.Actions>
      <Button leftSection={<PlusIcon size={16} />} onClick={() => navigate({ user: 'new' })}>
        Create a user
      </Button>
    </EmptyState.Actions>
    <Code block className="empty-command" tabIndex={0}>
      {`curl ${location.origin}/v1/users \\\n  -H 'content-type: application/json' \\\n  -d '{"name":"Ada Lovelace","email":"ada@example.org"}'`}
    </Code>
  </EmptyState>
);

export const NoMatches = ({ q }: { q: string }) => (
  <EmptyState
    className="empty"
    icon={<SearchIcon size={28} />}
    variant="light"
    title={`Nobody matches “${q}”`}
    description="The search finds beginnings of words in names, and of addresses. Changes are found a few seconds after they are made."
  >
    <EmptyState.Actions>
      <Button variant="default" onClick={() => navigate({ q: '', after: undefined })}>
        Show all users
      </Button>
    </EmptyState.Actions>
  </EmptyState>
);

type PageIsEmptyProps = { page: number; pages: number };

export const PageIsEmpty = ({ page, pages }: PageIsEmptyProps) => (
  <EmptyState
    className="empty"
    icon={<UsersIcon size={30} />}
    title={page > pages ? `There is no page ${page.toLocaleString('en')}` : 'This page is empty'}
    description={pages === 1 ? 'There is only one page.' : `There are only ${pages.toLocaleString('en')} pages.`}
  >
    <EmptyState.Actions>
      <Button variant="default" onClick={() => navigate({ page: 1 })}>
        Go to the first page
      </Button>
    </EmptyState.Actions>
  </EmptyState>
);

const HINTS: Record<number, string> = {
  401: 'Sign in, or add a token with the scope users:read, at the top of the page.',
  403: 'The token needs the scope users:read.',
  503: 'The database is busy or unreachable. Try again in a moment.',
};
const LOCAL_HINTS: Record<number, string> = { ...HINTS, 0: 'Start the service with npm start, then try again.' };

type ListErrorProps = { error: Error; isLocal: boolean; onRetry: () => void };

export function ListError({ error, isLocal, onRetry }: ListErrorProps) {
  const hint = error instanceof ApiError && (isLocal ? LOCAL_HINTS : HINTS)[error.status];
  return (
    <Alert className="empty" color="red" variant="light" title="The users cannot be listed">
      <Text size="sm">{error.message}</Text>
      {hint && <Text size="sm">{hint}</Text>}
      <Button mt="sm" size="xs" variant="default" onClick={onRetry}>
        Try again
      </Button>
    </Alert>
  );
}
