import { Button, Group, Modal, NativeSelect, Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { OwnField } from '../../../../../lib/users/fields/declaration.ts';
import type { User } from '../../api/users.ts';
import { formatCount } from '../../format.ts';
import { useUnsavedDialog } from '../../leaving.ts';
import { describeInvalidJson, labelMember, ownFields, type Value } from '../../own-fields.ts';
import { OwnFieldInput } from '../../user/own-field-input.tsx';
import { type Action, editUsers, listActions } from './bulk-edit.ts';

const LABELS: Record<Action, string> = {
  set: 'Set to',
  add: 'Add',
  remove: 'Remove',
  clear: 'Clear',
};

type Props = {
  users: User[];
  onChanged: (users: ReadonlyMap<string, User>, field: OwnField) => void;
  onClose: () => void;
};

export function EditDialog(props: Props) {
  const { users, onClose } = props;
  const fields = ownFields.get().filter((field) => listActions(field).length > 0);
  const [name, setName] = useState(fields[0]?.name);
  const field = fields.find((field) => field.name === name);
  /** Typed values by field. */
  const [values, setValues] = useState<Record<string, Value>>({});
  const isUnsaved = Object.keys(values).length > 0;
  useUnsavedDialog(isUnsaved);
  const count = formatCount(users.length, 'user');
  return (
    <Modal opened onClose={onClose} closeOnClickOutside={!isUnsaved} title={`Edit a field of ${count}`} centered>
      <NativeSelect
        label="Field"
        mb="sm"
        data-autofocus
        value={name}
        data={fields.map((field) => ({ value: field.name, label: labelMember(field.name) }))}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      {field && (
        <EditForm
          {...props}
          key={field.name}
          field={field}
          value={values[field.name] ?? readFirstValue(field)}
          onChange={(value) => setValues({ ...values, [field.name]: value })}
        />
      )}
    </Modal>
  );
}

type FormProps = Props & { field: OwnField; value: Value; onChange: (value: Value) => void };

function EditForm({ field, value, onChange, users, onChanged, onClose }: FormProps) {
  const actions = listActions(field);
  const [action, setAction] = useState(actions[0] ?? 'clear');
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const problem = action === 'clear' ? undefined : findProblem(value);
    setError(problem);
    if (problem) return;
    editUsers(users, { field, action, value }, (changed) => onChanged(changed, field));
    onClose();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Radio.Group
          label="Action"
          value={action}
          onChange={(chosen) => setAction(actions.find((each) => each === chosen) ?? action)}
        >
          <Group mt={4}>
            {actions.map((action) => (
              <Radio key={action} value={action} label={LABELS[action]} />
            ))}
          </Group>
        </Radio.Group>
        {action !== 'clear' && (
          <OwnFieldInput field={{ ...field, required: false }} value={value} error={error} onChange={onChange} />
        )}
        <Text size="sm" c="dimmed">
          {field.default !== undefined && action === 'clear' && 'Users without a value have the default. '}
          You can undo this for 10 seconds.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Change {formatCount(users.length, 'user')}</Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A select shows the default from the start. */
const readFirstValue = ({ list, default: usual }: OwnField): Value => (list ? null : (usual ?? null));

/** The service reports all other issues. */
function findProblem(value: Value): string | undefined {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return 'Enter a value';
  return describeInvalidJson(value);
}
