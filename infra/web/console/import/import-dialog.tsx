import { Button, FileButton, Modal, Paper, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { importButton, restoreFocus } from '../focus.ts';
import { useStore } from '../store.ts';
import { ImportProgress } from './import-progress.tsx';
import { ImportReview } from './import-review.tsx';
import { forgetImport } from './job.ts';
import { closeImport, type DialogProps, job } from './state.ts';

/** Choose a file, review its columns and rows, then watch the import, which goes on while the dialog is closed. */
export function ImportDialog({ isOpen, file: dropped }: DialogProps) {
  const current = useStore(job);
  const [file, setFile] = useState<File>();
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  // One import at a time.
  useEffect(() => {
    if (dropped && !job.get()) setFile(dropped);
  }, [dropped]);
  const startAgain = () => {
    forgetImport();
    setFile(undefined);
  };
  const close = () => {
    closeImport();
    if (job.get()?.status === 'done' || !job.get()) startAgain();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      // It was open when it was mounted first, so that it does not know what had the focus.
      onExitTransitionEnd={() => restoreFocus(importButton)}
      title="Import users"
      size="70rem"
      fullScreen={isNarrow}
    >
      {current ? (
        <ImportProgress job={current} onClose={close} onRestart={startAgain} />
      ) : file ? (
        <ImportReview key={`${file.name} ${file.size} ${file.lastModified}`} file={file} onOther={setFile} />
      ) : (
        <ChooseFile onChoose={setFile} />
      )}
    </Modal>
  );
}

const ChooseFile = ({ onChoose }: { onChoose: (file: File) => void }) => (
  <Paper withBorder p="xl">
    <Stack gap="md" align="start">
      <Text>
        Drop a file here, or anywhere on the page: CSV with the names of the columns in the first line, or NDJSON. It
        may be gzipped.
      </Text>
      <FileButton onChange={(file) => file && onChoose(file)} inputProps={{ 'aria-label': 'File to import' }}>
        {(props) => (
          <Button {...props} data-autofocus>
            Choose a file
          </Button>
        )}
      </FileButton>
      <Text size="sm" c="dimmed">
        Nothing is written before you have seen what the file contains.
      </Text>
    </Stack>
  </Paper>
);
