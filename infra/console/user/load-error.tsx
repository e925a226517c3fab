import { Alert, Button } from '@mantine/core';

type Props = { title: string; error: Error; onRetry: () => void };

export const LoadError = ({ title, error, onRetry }: Props) => (
  <Alert color="red" title={title}>
    {error.message}
    <Button mt="sm" size="xs" variant="default" display="block" onClick={() => onRetry()}>
      Try again
    </Button>
  </Alert>
);
