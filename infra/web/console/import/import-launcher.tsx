import { Button, Overlay, Paper } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { mayWrite } from '../auth/token.ts';
import { importButton } from '../focus.ts';
import { useStore } from '../store.ts';
import classes from '../users/toolbar.module.css';
import { openImport } from './launch.ts';
import { importing, useImportedPart } from './state.ts';

export function ImportButton() {
  const part = useImportedPart();
  const percent = part === undefined ? undefined : `${Math.floor(part * 100)} %`;
  const label = percent ? `${percent}: show the import` : 'Import users';
  // One button in both states: the dialog returns the focus to it.
  return (
    <Button
      ref={importButton}
      px="xs"
      variant={percent ? 'light' : 'default'}
      title={label}
      aria-label={label}
      onClick={() => openImport()}
    >
      {percent ?? (
        <>
          <IconUpload size={18} aria-hidden="true" />
          <span className={classes.wideLabel}>Import</span>
        </>
      )}
    </Button>
  );
}

export function ImportLauncher() {
  const { Dialog } = useStore(importing);
  const isOver = useFileDrop();
  return (
    <>
      {Dialog && <Dialog />}
      {isOver && (
        <Overlay fixed center backgroundOpacity={0.8} style={{ pointerEvents: 'none' }}>
          <Paper withBorder shadow="md" p="xl" fw={600}>
            Drop a CSV or NDJSON file to import users
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
