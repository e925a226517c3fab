import { Alert, Button, Checkbox, FileButton, Group, NativeSelect, Progress, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { formatCount } from '../format.ts';
import { readColumns } from './import-file.ts';
import { isUnfinished } from './import-id.ts';
import { Import } from './job.ts';
import { findMappingIssue, guessMapping, type Mapping, toRowOptions } from './mapping.ts';
import { RejectedRows } from './rejected-rows.tsx';
import { SampleTable } from './sample-table.tsx';
import { chooseFile } from './state.ts';
import { type Check, useCheck } from './use-check.ts';

const ENCODINGS = [
  { value: '', label: 'UTF-8 or UTF-16' },
  { value: 'windows-1252', label: 'Western European (Windows-1252)' },
  { value: 'windows-1250', label: 'Central European (Windows-1250)' },
  { value: 'windows-1251', label: 'Cyrillic (Windows-1251)' },
  { value: 'shift_jis', label: 'Japanese (Shift JIS)' },
  { value: 'gb18030', label: 'Chinese (GB 18030)' },
];

const DELIMITERS = [
  { value: '', label: 'Recognized' },
  { value: ',', label: 'Comma' },
  { value: ';', label: 'Semicolon' },
  { value: '\t', label: 'Tab' },
  { value: '|', label: 'Vertical bar' },
];

/** Shows the first rows with the field of each column, and which rows of the whole file the import would reject. */
export function ImportReview({ file, chosenAt }: { file: File; chosenAt: number }) {
  const [encoding, setEncoding] = useState('');
  const [delimiter, setDelimiter] = useState('');
  const [updates, setUpdates] = useState(false);
  const [chosen, setChosen] = useState<Mapping>();
  const source = useMemo(
    () => ({ file, text: { encoding: encoding || undefined, delimiter: delimiter || undefined } }),
    [file, encoding, delimiter],
  );
  const { data: sample, error } = useQuery({
    queryKey: ['import', chosenAt, encoding, delimiter],
    queryFn: () => readColumns(source),
    // The file is on this machine, and is read once.
    networkMode: 'always',
    staleTime: 'static',
    gcTime: 0,
  });
  const mapping = useMemo(() => chosen ?? (sample ? guessMapping(sample) : []), [chosen, sample]);
  const issue = sample && findMappingIssue(mapping);
  const { check, failure = error } = useCheck(source, sample, mapping);
  const isEmpty = check?.isDone === true && check.valid === 0;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const start = () => {
    if (!sample) return;
    const total = check?.isDone ? check.valid + check.invalid : undefined;
    new Import({ source, options: toRowOptions(sample, mapping), updates, total }).run();
  };
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={3} size="h5" tabIndex={-1} ref={heading}>
          <bdi>{file.name}</bdi>
        </Title>
        <FileButton onChange={(other) => other && chooseFile(other)} inputProps={{ 'aria-label': 'File to import' }}>
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
      {failure && (
        <Alert color="red" variant="light" role="alert" title="The file cannot be read">
          {failure.message}
        </Alert>
      )}
      {sample && (
        <SampleTable sample={sample} mapping={mapping} rejected={check?.rejected ?? []} onChange={setChosen} />
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
          onChange={({ currentTarget }) => {
            setEncoding(currentTarget.value);
            // The columns may have other names.
            setChosen(undefined);
          }}
        />
        <NativeSelect
          label="Delimiter"
          size="xs"
          value={delimiter}
          data={DELIMITERS}
          onChange={({ currentTarget }) => {
            setDelimiter(currentTarget.value);
            setChosen(undefined);
          }}
        />
        <Checkbox
          label="Update users who exist, by their addresses"
          checked={updates}
          onChange={({ currentTarget }) => setUpdates(currentTarget.checked)}
        />
        <Button disabled={!sample || Boolean(issue ?? failure) || isEmpty} onClick={start}>
          {check?.isDone ? `Import ${formatCount(check.valid, 'row')}` : 'Import'}
        </Button>
      </Group>
    </Stack>
  );
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
