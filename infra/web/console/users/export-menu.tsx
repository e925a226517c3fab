import { Button, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { CsvChoice } from '../export/csv-choice.tsx';
import { labelExport, listExports, startExport } from '../export/export.ts';
import { useRoute } from '../route.ts';
import classes from './toolbar.module.css';

const FORMATS = ['csv', 'ndjson'] as const;

export function ExportMenu() {
  const route = useRoute();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button px="xs" variant="default" title="Export users" aria-label="Export users">
          <IconDownload size={18} aria-hidden="true" />
          <span className={classes.wideLabel}>Export</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {listExports(route).flatMap((exported) =>
          FORMATS.map((format) => {
            const label = `${labelExport(exported)} as ${format.toUpperCase()}`;
            return (
              <Menu.Item key={label} onClick={() => startExport(exported, format)}>
                {label}
              </Menu.Item>
            );
          }),
        )}
        <CsvChoice />
      </Menu.Dropdown>
    </Menu>
  );
}
