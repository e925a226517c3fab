import {
  Alert,
  Button,
  Checkbox,
  FileButton,
  Group,
  NativeSelect,
  Progress,
  Radio,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { ClientError } from '../../../../lib/client/client.ts';
import type { DateOrder } from '../../../transfer/local-values.ts';
import type { TextOptions } from '../../../transfer/rows.ts';
import type { Comparison } from '../../../transfer/service-target.ts';
import { formatCount } from '../format.ts';
import { useUnsavedDialog } from '../leaving.ts';
import { labelMember, ownFields } from '../own-fields.ts';
import { Warning } from '../user/form-messages.tsx';
import { ChangedRows } from './changed-rows.tsx';
import { readColumns } from './import-file.ts';
import { isUnfinished } from './import-id.ts';
import { startImport } from './job.ts';
import { findMappingIssue, findOrder, findUnstored, guessMapping, type Mapping, toRowOptions } from './mapping.ts';
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
  { value: '', label: 'Automatic' },
  { value: ',', label: 'Comma' },
  { value: ';', label: 'Semicolon' },
  { value: '\t', label: 'Tab' },
  { value: '|', label: 'Vertical bar' },
];

const TEXT_OPTIONS = [
  { option: 'encoding', label: 'Encoding', data: ENCODINGS },
  { option: 'delimiter', label: 'Delimiter', data: DELIMITERS },
] as const;

export function ImportReview({ file, chosenAt }: { file: File; chosenAt: number }) {
  const [text, setText] = useState<TextOptions>({});
  const [chosenUpdates, setUpdates] = useState<boolean>();
  const [chosen, setChosen] = useState<Mapping>();
  const source = useMemo(() => ({ file, text }), [file, text]);
  const { data: sample, error } = useQuery({
    queryKey: ['import', chosenAt, text],
    queryFn: () => readColumns(source),
    staleTime: 'static',
    gcTime: 0,
  });
  const mapping = useMemo(() => chosen ?? (sample ? guessMapping(sample) : []), [chosen, sample]);
  const hasIds = mapping.includes('id');
  // A file with ids comes from an export.
  const updates = chosenUpdates ?? hasIds;
  const issue = sample && findMappingIssue(mapping);
  const unstored = sample ? findUnstored(sample, mapping) : [];
  const [leavesOut, setLeavesOut] = useState(false);
  const order = sample?.format === 'CSV' ? findOrder(sample, mapping) : undefined;
  const [chosenOrder, setOrder] = useState<DateOrder>();
  const dateOrder = order === 'ambiguous' ? chosenOrder : order;
  const [defaults, setDefaults] = useState<ReadonlyMap<string, string>>(new Map());
  const values = useMemo(() => ({ local: { dateOrder }, defaults }), [dateOrder, defaults]);
  const { check, failure = error } = useCheck({ source, sample, mapping, values, compares: updates });
  const isOrderMissing = order === 'ambiguous' && chosenOrder === undefined;
  const isEmpty = check?.isDone === true && check.valid === 0;
  useUnsavedDialog(chosen !== undefined || chosenOrder !== undefined || defaults.size > 0);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const takeOrder = (value: string) => setOrder(value === 'mdy' ? 'mdy' : 'dmy');
  const start = () => {
    if (!sample) return;
    const total = check?.isDone ? check.valid + check.invalid : undefined;
    startImport({ source, options: toRowOptions(sample, mapping, values), updates, total });
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
          An earlier import of this file did not finish. Rows already imported create no duplicates.
        </Alert>
      )}
      {failure && (
        <Alert
          color="red"
          variant="light"
          role="alert"
          title={`The ${failure instanceof ClientError ? 'users cannot be compared' : 'file cannot be read'}`}
        >
          {failure.message}
        </Alert>
      )}
      {sample && (
        <SampleTable
          sample={sample}
          mapping={mapping}
          rejected={check?.rejected ?? []}
          values={values}
          onChange={setChosen}
        />
      )}
      {order === 'ambiguous' && (
        <Radio.Group label="What does 03/04/1980 mean in this file?" value={chosenOrder ?? ''} onChange={takeOrder}>
          <Group mt="xs">
            <Radio value="dmy" label="3 April 1980" />
            <Radio value="mdy" label="March 4, 1980" />
          </Group>
        </Radio.Group>
      )}
      {sample?.format === 'CSV' && (
        <Defaults mapping={mapping} defaults={defaults} onChange={(changed) => setDefaults(changed)} />
      )}
      {unstored.length > 0 && (
        <Alert variant="light">
          The APIs do not store {unstored.join(', ')}. To keep sign-up dates, run{' '}
          <code>npm run import -- --table NAME --keep-times</code>.
          <Checkbox
            mt="xs"
            label={`Leave out ${unstored.join(', ')}`}
            checked={leavesOut}
            onChange={({ currentTarget }) => setLeavesOut(currentTarget.checked)}
          />
        </Alert>
      )}
      {issue && <Warning>{issue}</Warning>}
      {check && !issue && <CheckSummary check={check} hasIds={hasIds} />}
      {check?.comparison && !issue && (
        <ChangedRows changes={check.changes} count={check.comparison.changed + check.comparison.moved} />
      )}
      {check && <RejectedRows rejected={check.rejected} count={check.invalid} />}
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
        {TEXT_OPTIONS.map(({ option, label, data }) => (
          <NativeSelect
            key={option}
            label={label}
            size="xs"
            value={text[option] ?? ''}
            data={data}
            onChange={({ currentTarget: { value } }) => {
              setText({ ...text, [option]: value || undefined });
              setChosen(undefined);
            }}
          />
        ))}
        <Checkbox
          label="Update users who exist"
          checked={updates}
          onChange={({ currentTarget }) => setUpdates(currentTarget.checked)}
        />
        <Button
          disabled={
            !sample || Boolean(issue ?? failure) || isEmpty || isOrderMissing || (unstored.length > 0 && !leavesOut)
          }
          onClick={start}
        >
          {check?.isDone ? `Import ${describeWritten(check, mapping)}` : 'Import'}
        </Button>
      </Group>
    </Stack>
  );
}

type DefaultsProps = {
  mapping: Mapping;
  defaults: ReadonlyMap<string, string>;
  onChange: (defaults: ReadonlyMap<string, string>) => void;
};

/** Fields without a column that are required or have choices. */
function Defaults({ mapping, defaults, onChange }: DefaultsProps) {
  const missing = ownFields
    .get()
    .filter(({ name, required, unique, enum: choices }) => !unique && (required || choices) && !mapping.includes(name));
  if (missing.length === 0) return null;
  const set = (name: string, text: string) =>
    onChange(new Map([...defaults, [name, text]].filter(([, each]) => each !== '') as [string, string][]));
  return (
    <Group gap="xs" component="section" aria-label="Values for missing columns">
      {missing.map(({ name, enum: choices }) =>
        choices ? (
          <NativeSelect
            key={name}
            size="xs"
            label={`${labelMember(name)} of all users`}
            value={defaults.get(name) ?? ''}
            data={[{ value: '', label: 'None' }, ...choices.map(String)]}
            onChange={({ currentTarget }) => set(name, currentTarget.value)}
          />
        ) : (
          <TextInput
            key={name}
            size="xs"
            label={`${labelMember(name)} of all users`}
            value={defaults.get(name) ?? ''}
            onChange={({ currentTarget }) => set(name, currentTarget.value)}
          />
        ),
      )}
    </Group>
  );
}

function CheckSummary({
  check: { part, valid, invalid, comparison, isDone },
  hasIds,
}: {
  check: Check;
  hasIds: boolean;
}) {
  const found = `${formatCount(valid, 'row')} can be imported${invalid > 0 ? `, ${invalid.toLocaleString('en')} cannot` : ''}.`;
  return (
    <div>
      {!isDone && <Progress value={part * 100} aria-label="Checked" size="sm" />}
      <Text role={isDone ? 'status' : undefined} data-testid="check">
        {isDone ? found : `Checking: ${found}`}
        {comparison && ` ${describeComparison(comparison, hasIds)}`}
      </Text>
    </div>
  );
}

/** A comparison finds the written users, but not their new posts. */
function describeWritten({ valid, comparison }: Check, mapping: Mapping): string {
  if (!comparison || mapping.includes('posts')) return formatCount(valid, 'row');
  const { created, changed, moved } = comparison;
  const changes = formatCount(changed + moved, 'change');
  if (created === 0) return changes;
  return [formatCount(created, 'new user'), ...(changed + moved > 0 ? [changes] : [])].join(' and ');
}

function describeComparison({ unchanged, changed, moved, created, erased }: Comparison, hasIds: boolean): string {
  const counts = [
    `${unchanged.toLocaleString('en')} unchanged`,
    `${changed.toLocaleString('en')} changed`,
    ...(hasIds ? [`${moved.toLocaleString('en')} with a new address`] : []),
    `${created.toLocaleString('en')} new`,
    ...(erased > 0 ? [`${erased.toLocaleString('en')} erased`] : []),
  ];
  return `Matched by ${hasIds ? 'id, or else by address' : 'address'}: ${counts.join(', ')}.`;
}
