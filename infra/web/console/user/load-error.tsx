import { Alert, Button } from '@mantine/core';
import { useRestoredFocus } from '../focus.ts';

type Props = { title: string; error: Error; onRetry: () => void };

export function LoadError({ title, error, onRetry }: Props) {
  useRestoredFocus('.panel-title');
  return (
    <Alert color="red" title={title}>
      {error.message}
      <Button mt="sm" size="xs" variant="default" display="block" onClick={() => onRetry()}>
        Try again
      </Button>
    </Alert>
  );
}
