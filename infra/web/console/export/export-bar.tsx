import { Button, Group, Progress, Text } from '@mantine/core';
import { useRestoredFocus, usersTitle } from '../focus.ts';
import { formatCount } from '../format.ts';
import { useStore } from '../store.ts';
import { currentExport, type Export } from './export.ts';

export function ExportBar() {
  const shown = useStore(currentExport);
  return shown && <Bar {...shown} />;
}

function Bar({ users, total, error, run, cancel }: Export) {
  useRestoredFocus(usersTitle);
  const read =
    total === undefined ? formatCount(users, 'user') : `${users.toLocaleString('en')} of ${formatCount(total, 'user')}`;
  return (
    <Group component="section" aria-label="Export" pt="xs" gap="md" wrap="nowrap">
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text size="sm" role={error ? 'alert' : undefined}>
          {error ? `The export has stopped at ${read}, and no file was saved: ${error}` : `Exporting: ${read}`}
        </Text>
        <Progress
          size="sm"
          aria-label="Exported"
          animated={!error && total === undefined}
          value={total ? Math.min(100, (users * 100) / total) : 100}
        />
      </div>
      {error && (
        <Button size="xs" onClick={run}>
          Continue
        </Button>
      )}
      <Button size="xs" variant="default" onClick={cancel}>
        Cancel
      </Button>
    </Group>
  );
}
