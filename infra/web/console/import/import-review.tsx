import { Alert, Button, Checkbox, FileButton, Group, NativeSelect, Progress, Stack, Text, Title } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Sample } from '../../../transfer/sample.ts';
import { formatCount } from '../format.ts';
import { type Check, checkRows } from './check.ts';
import { type ImportFile, readColumns } from './import-file.ts';
import { isUnfinished } from './import-id.ts';
import { startImport } from './job.ts';
import { findMappingIssue, guessMapping, listFields, type Mapping, toRowOptions } from './mapping.ts';
import { RejectedRows } from './rejected-rows.tsx';
import { SampleTable } from './sample-table.tsx';

const ENCODINGS = [
  { value: '', label: 'UTF-8 or UTF-16' },
  { value: 'windows-1252', label: 'Western European (Windows-1252)' },
  { value: 'windows-1250', label: 'Central European (Windows-1250)' },
  { value: 'windows-1251', label: 'Cyrillic (Windows-1251)' },
  { value: 'shift_jis', label: 'Japanese (Shift JIS)' },
  { value: 'gb18030', label: 'Chinese (GB 18030)' },
];

type Props = { file: File; onOther: (file: File) => void };

/** Shows the first rows with the field of each column, and which rows of the whole file the import would reject. */
export function ImportReview({ file, onOther }: Props) {
  const [encoding, setEncoding] = useState('');
  const [updates, setUpdates] = useState(false);
  const [mapping, setMapping] = useState<Mapping>([]);
  const source = useMemo(() => ({ file, encoding: encoding || undefined }), [file, encoding]);
  const { sample, error } = useSample(source, (read) => setMapping(guessMapping(read)));
  const issue = sample && findMappingIssue(mapping);
  const { check, failure } = useCheck(source, sample, mapping);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const start = () => {
    if (!sample) return;
    const total = check?.isDone ? check.valid + check.invalid : undefined;
    startImport({ source, options: toRowOptions(sample, mapping), updates, total });
  };
  const problem = error ?? failure;
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={3} size="h5" tabIndex={-1} ref={heading}>
          <bdi>{file.name}</bdi>
        </Title>
        <FileButton onChange={(other) => other && onOther(other)} inputProps={{ 'aria-label': 'File to import' }}>
          {(props) => (
            <Button {...props} variant="default" size="xs">
              Other file
            </Button>
          )}
        </FileButton>
      </Group>
      {isUnfinished(file) && (
        <Alert variant="light">
          An import of this file was begun in this browser and did not end. Rows that it has created are found again:
          nobody is created twice.
        </Alert>
      )}
      {problem && (
        <Alert color="red" variant="light" role="alert" title="The file cannot be read">
          {problem}
        </Alert>
      )}
      {sample && (
        <SampleTable
          sample={sample}
          mapping={mapping}
          fields={listFields(sample)}
          rejected={check?.rejected ?? []}
          onChange={setMapping}
        />
      )}
      {issue && (
        <Alert color="yellow" variant="light" role="status">
          {issue}
        </Alert>
      )}
      {check && !issue && <CheckSummary check={check} />}
      {check && <RejectedRows rejected={check.rejected} count={check.invalid} />}
      {/* The last step is always in sight. */}
      <Group
        justify="space-between"
        align="end"
        pos="sticky"
        bottom={0}
        mb="calc(-1 * var(--mantine-spacing-md))"
        pt="xs"
        pb="md"
        bg="var(--mantine-color-body)"
        style={{ zIndex: 3 }}
      >
        <NativeSelect
          label="Encoding"
          size="xs"
          value={encoding}
          data={ENCODINGS}
          onChange={({ currentTarget }) => setEncoding(currentTarget.value)}
        />
        <Checkbox
          label="Update users who exist, by their addresses"
          checked={updates}
          onChange={({ currentTarget }) => setUpdates(currentTarget.checked)}
        />
        <Button
          disabled={
            !sample || issue !== undefined || problem !== undefined || (check?.isDone === true && check.valid === 0)
          }
          onClick={start}
        >
          {check?.isDone ? `Import ${formatCount(check.valid, 'row')}` : 'Import'}
        </Button>
      </Group>
    </Stack>
  );
}

function useSample(source: ImportFile, onRead: (sample: Sample) => void) {
  const [state, setState] = useState<{ sample?: Sample; error?: string }>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function is another one at each rendering
  useEffect(() => {
    let isCurrent = true;
    setState({});
    readColumns(source).then(
      (sample) => {
        if (!isCurrent) return;
        setState({ sample });
        onRead(sample);
      },
      ({ message }: Error) => isCurrent && setState({ error: message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [source]);
  return state;
}

/** Checks the file again whenever a column stands for another field. */
function useCheck(source: ImportFile, sample: Sample | undefined, mapping: Mapping) {
  const [state, setState] = useState<{ check?: Check; failure?: string }>({});
  useEffect(() => {
    setState({});
    if (!sample || mapping.length !== sample.columns.length || findMappingIssue(mapping)) return;
    const stopping = new AbortController();
    checkRows(source, toRowOptions(sample, mapping), (check) => setState({ check }), stopping.signal).catch(
      ({ message }: Error) => stopping.signal.aborted || setState({ failure: message }),
    );
    return () => stopping.abort();
  }, [source, sample, mapping]);
  return state;
}

function CheckSummary({ check: { part, valid, invalid, isDone } }: { check: Check }) {
  const found = `${formatCount(valid, 'row')} can be imported${invalid > 0 ? `, ${invalid.toLocaleString('en')} cannot` : ''}.`;
  return (
    <div>
      {!isDone && <Progress value={part * 100} aria-label="Checked" size="sm" />}
      <Text role={isDone ? 'status' : undefined} data-testid="check">
        {isDone ? found : `Checking: ${found}`}
      </Text>
    </div>
  );
}
