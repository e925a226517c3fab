import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';

export const FormError = ({ message }: { message: string | undefined }) =>
  message && (
    <Alert color="red" variant="light" role="alert" p="sm">
      {message}
    </Alert>
  );

export const Warning = ({ children }: { children: ReactNode }) => (
  <Alert color="yellow" variant="light" role="status" p="sm" w="100%">
    {children}
  </Alert>
);
