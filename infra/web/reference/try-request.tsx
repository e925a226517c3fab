import { type SubmitEvent, useId, useState } from 'react';
import { type Answer, AnswerView, sendRequest } from './answer.tsx';
import type { Operation, Parameter } from './document.ts';
import type { RequestValues } from './request.ts';
import { describeType } from './schema.tsx';
import { TokenInput } from './token-input.tsx';

type Props = { operation: Operation; values: RequestValues; onChange: (values: RequestValues) => void };

/** The form of a request, which is sent to the service of this page. */
export function TryRequest(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return isOpen ? (
    <RequestForm {...props} />
  ) : (
    <button type="button" className="primary" onClick={() => setOpen(true)}>
      Try it
    </button>
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
    <form aria-label={`Try: ${summary}`} onSubmit={send}>
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
      <button type="submit" className="primary" disabled={isSending}>
        Send
      </button>
      <div role="status">
        {answer && (
          <div key={answer.start} ref={showAnswer}>
            <AnswerView answer={answer} />
          </div>
        )}
      </div>
    </form>
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
  const id = useId();
  const shared = { id, required, value, ref: focused ? focusOnce : null };
  return (
    <p>
      <label htmlFor={id}>{name}</label>
      {schema.enum ? (
        <select {...shared} onChange={(event) => onChange(event.target.value)}>
          <option value="">(not sent)</option>
          {schema.enum.map((each) => (
            <option key={String(each)}>{String(each)}</option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          placeholder={describeType(schema)}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </p>
  );
}

/** The button that opened the form is gone: its first input takes the focus. */
const focusOnce = (element: HTMLElement | null): void => element?.focus();

type BodyInputProps = Omit<Props, 'operation'> & { body: NonNullable<Operation['body']> };

function BodyInput({ body, values, onChange }: BodyInputProps) {
  const id = useId();
  return (
    <>
      {body.mediaTypes.length > 1 && (
        <p>
          <label htmlFor={`${id}-type`}>Content-Type</label>
          <select
            id={`${id}-type`}
            value={values.mediaType}
            onChange={(event) => onChange({ ...values, mediaType: event.target.value })}
          >
            {body.mediaTypes.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </p>
      )}
      <p>
        <label htmlFor={id}>Body</label>
        <textarea
          id={id}
          rows={values.body.split('\n').length + 1}
          spellCheck={false}
          value={values.body}
          onChange={(event) => onChange({ ...values, body: event.target.value })}
        />
      </p>
    </>
  );
}

/** The form may be as high as the window. */
const showAnswer = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });
