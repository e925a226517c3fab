import { Button, Center, EmptyState } from '@mantine/core';
import { PlugIcon } from '../icons.tsx';

export const FatalError = ({ error }: { error: Error }) => (
  <Center component="main" h="100dvh" p="lg">
    <EmptyState icon={<PlugIcon size={28} />} title="The console cannot be shown" description={error.message}>
      <EmptyState.Actions>
        <Button onClick={() => location.reload()}>Reload</Button>
      </EmptyState.Actions>
    </EmptyState>
  </Center>
);
