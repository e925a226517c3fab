import { Button, Group, NativeSelect, Paper, Stack, Textarea, TextInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import { type Answer, AnswerView, sendRequest } from './answer.tsx';
import type { Operation, Parameter } from './document.ts';
import type { RequestValues } from './request.ts';
import { describeType } from './schema.tsx';
import { TokenInput } from './token-input.tsx';

type Props = { operation: Operation; values: RequestValues; onChange: (values: RequestValues) => void };

export function TryRequest(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return isOpen ? (
    <RequestForm {...props} />
  ) : (
    <Button size="xs" onClick={() => setOpen(true)}>
      Try it
    </Button>
  );
}

function RequestForm({ operation, values, onChange }: Props) {
  const [answer, setAnswer] = useState<Answer>();
  const [isSending, setSending] = useState(false);
  const { parameters, body, summary } = operation;

  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    setSending(true);
    setAnswer(await sendRequest(operation, values));
    setSending(false);
  };

  return (
    <Paper component="form" withBorder p="sm" aria-label={`Try: ${summary}`} onSubmit={send}>
      <Stack gap="xs">
        {parameters.map((parameter, index) => (
          <ParameterInput
            key={parameter.name}
            parameter={parameter}
            focused={index === 0}
            value={values.parameters[parameter.name] ?? ''}
            onChange={(value) => onChange({ ...values, parameters: { ...values.parameters, [parameter.name]: value } })}
          />
        ))}
        {body && <BodyInput body={body} values={values} onChange={onChange} />}
        <TokenInput />
        <Group>
          <Button type="submit" size="xs" disabled={isSending}>
            Send
          </Button>
        </Group>
        <div role="status">
          {answer && (
            <div key={answer.start} ref={showAnswer}>
              <AnswerView answer={answer} />
            </div>
          )}
        </div>
      </Stack>
    </Paper>
  );
}

type ParameterInputProps = {
  parameter: Parameter;
  focused: boolean;
  value: string;
  onChange: (value: string) => void;
};

function ParameterInput({ parameter, focused, value, onChange }: ParameterInputProps) {
  const { name, required = false, schema } = parameter;
  const shared = { label: name, size: 'xs', required, value, ref: focused ? focusOnce : null } as const;
  return schema.enum ? (
    <NativeSelect
      {...shared}
      data={[{ value: '', label: '(not sent)' }, ...schema.enum.map(String)]}
      onChange={(event) => onChange(event.target.value)}
    />
  ) : (
    <TextInput
      {...shared}
      placeholder={describeType(schema)}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** Moves the focus to the form, because the button that opened it was removed. */
const focusOnce = (element: HTMLElement | null): void => element?.focus();

type BodyInputProps = Omit<Props, 'operation'> & { body: NonNullable<Operation['body']> };

const BodyInput = ({ body, values, onChange }: BodyInputProps) => (
  <>
    {body.mediaTypes.length > 1 && (
      <NativeSelect
        label="Content-Type"
        size="xs"
        data={body.mediaTypes}
        value={values.mediaType}
        onChange={(event) => onChange({ ...values, mediaType: event.target.value })}
      />
    )}
    <Textarea
      label="Body"
      size="xs"
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', resize: 'vertical' } }}
      rows={values.body.split('\n').length + 1}
      spellCheck={false}
      value={values.body}
      onChange={(event) => onChange({ ...values, body: event.target.value })}
    />
  </>
);

/** Scrolls to the answer, because the form above may fill the window. */
const showAnswer = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });
