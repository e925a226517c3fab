import { Button, Overlay, Paper } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { mayWrite } from '../auth/token.ts';
import { importButton } from '../focus.ts';
import { useStore } from '../store.ts';
import { openImport } from './launch.ts';
import { findImportedPart, importDialog, job } from './state.ts';

/** Opens the import, or shows how far one is that goes on while its dialog is closed. */
export function ImportButton() {
  const part = useSyncExternalStore(job.subscribe, findImportedPart);
  const percent = part === undefined ? undefined : `${Math.floor(part * 100)} %`;
  const label = percent ? `${percent}: show the import` : 'Import users';
  // It stays the same element, to which the dialog returns the focus.
  return (
    <Button
      ref={importButton}
      px="xs"
      variant={percent ? 'light' : 'default'}
      title={label}
      aria-label={label}
      onClick={() => openImport()}
    >
      {percent ?? <IconUpload size={18} />}
    </Button>
  );
}

/** Shows the dialog once it is loaded, and takes files that are dropped anywhere on the page. */
export function ImportLauncher() {
  const { isOpen, file, Content } = useStore(importDialog);
  const isOver = useFileDrop();
  return (
    <>
      {Content && <Content isOpen={isOpen} file={file} />}
      {isOver && (
        // The events of dragging are those of the page.
        <Overlay fixed center backgroundOpacity={0.8} style={{ pointerEvents: 'none' }}>
          <Paper withBorder shadow="md" p="xl" fw={600}>
            Drop a CSV or NDJSON file to import users
          </Paper>
        </Overlay>
      )}
    </>
  );
}

/** Returns whether a file is dragged over the page. */
function useFileDrop(): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const onDragOver = (event: DragEvent) => {
      if (!hasFile(event)) return;
      // Otherwise the browser would open the file in place of the page.
      event.preventDefault();
      setOver(mayWrite());
    };
    const onDragLeave = ({ relatedTarget }: DragEvent) => {
      if (!relatedTarget) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file && mayWrite()) openImport(file);
    };
    addEventListener('dragover', onDragOver);
    addEventListener('dragleave', onDragLeave);
    addEventListener('drop', onDrop);
    return () => {
      removeEventListener('dragover', onDragOver);
      removeEventListener('dragleave', onDragLeave);
      removeEventListener('drop', onDrop);
    };
  }, []);
  return isOver;
}
