import { Button, FileButton, Modal, Paper, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { importButton, restoreFocus } from '../focus.ts';
import { useStore } from '../store.ts';
import { ImportProgress } from './import-progress.tsx';
import { ImportReview } from './import-review.tsx';
import { chooseFile, closeImport, importing } from './state.ts';

/** The import continues when the dialog closes. */
export function ImportDialog() {
  const { isOpen, step } = useStore(importing);
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  return (
    <Modal
      opened={isOpen}
      onClose={closeImport}
      closeOnClickOutside={step.name !== 'review'}
      // Mantine does not return the focus, because the dialog is mounted open.
      onExitTransitionEnd={() => restoreFocus(importButton)}
      title="Import users"
      size="70rem"
      fullScreen={isNarrow}
    >
      {step.name === 'choose' && <ChooseFile />}
      {step.name === 'review' && <ImportReview key={step.chosenAt} {...step} />}
      {step.name === 'import' && <ImportProgress {...step} />}
    </Modal>
  );
}

const ChooseFile = () => (
  <Paper withBorder p="xl">
    <Stack gap="md" align="start">
      <Text>
        Drop a file here, or anywhere on the page: CSV with the names of the columns in the first line, or NDJSON. It
        may be gzipped.
      </Text>
      <FileButton onChange={(file) => file && chooseFile(file)} inputProps={{ 'aria-label': 'File to import' }}>
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
