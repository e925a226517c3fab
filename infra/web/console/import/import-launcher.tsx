import { Button, Overlay, Paper } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { mayWrite } from '../auth/token.ts';
import { importButton } from '../focus.ts';
import { lazyPart, MissingDialog } from '../lazy-part.tsx';
import { useStore } from '../store.ts';
import classes from '../users/toolbar.module.css';
import { importing, openImport } from './state.ts';

export const ImportButton = () => (
  <Button
    ref={importButton}
    px="xs"
    variant="default"
    title="Import users"
    aria-label="Import users"
    onClick={() => openImport()}
  >
    <IconUpload size={18} aria-hidden="true" />
    <span className={classes.wideLabel}>Import</span>
  </Button>
);

const ImportDialog = lazyPart(async () => (await import('./import-dialog.tsx')).ImportDialog, MissingDialog);

export function ImportLauncher() {
  const { wasOpened } = useStore(importing);
  const isOver = useFileDrop();
  return (
    <>
      {wasOpened && <ImportDialog />}
      {isOver && (
        <Overlay fixed center backgroundOpacity={0.8} style={{ pointerEvents: 'none' }}>
          <Paper withBorder shadow="md" p="xl" fw={600}>
            Drop a CSV, NDJSON or JSON file to import users
          </Paper>
        </Overlay>
      )}
    </>
  );
}

function useFileDrop(): boolean {
  const [isOver, setOver] = useState(false);
  const take = (event: DragEvent, isOver: boolean) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    setOver(isOver && mayWrite());
  };
  useWindowEvent('dragover', (event) => take(event, true));
  useWindowEvent('dragleave', ({ relatedTarget }) => relatedTarget || setOver(false));
  useWindowEvent('drop', (event) => {
    take(event, false);
    const file = event.dataTransfer?.files[0];
    if (file && mayWrite()) openImport(file);
  });
  return isOver;
}
