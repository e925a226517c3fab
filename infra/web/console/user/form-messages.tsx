import { Alert, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';

export const FormError = ({ message }: { message: string | undefined }) =>
  message && (
    <Alert color="red" role="alert" p="sm">
      {message}
    </Alert>
  );

const SLOW_AFTER_MS = 3000;

export function SlowHint({ isPending }: { isPending: boolean }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isPending) return undefined;
    const timer = setTimeout(setSlow, SLOW_AFTER_MS, true);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [isPending]);
  return isSlow ? (
    <Text size="sm" c="dimmed" role="status" w="100%">
      The service has not answered yet. The page keeps waiting.
    </Text>
  ) : null;
}

export const Warning = ({ children }: { children: ReactNode }) => (
  <Alert color="yellow" role="status" p="sm" w="100%">
    {children}
  </Alert>
);
