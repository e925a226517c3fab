import { useClipboard } from '@mantine/hooks';
import { type SubmitEvent, useEffect, useState } from 'react';
import { type Answer, AnswerView, sendRequest } from './answer.tsx';
import type { Operation } from './document.ts';
import { createValues, type RequestValues } from './request.ts';
import { Sample } from './sample.tsx';
import { TokenInput } from './token-input.tsx';

/** Shows what a client needs first: the base URL, a token, and a request that works, with its answer. */
export function FirstRequest({ operation, baseUrl }: { operation: Operation; baseUrl: string }) {
  const [values] = useState<RequestValues>(() => ({ ...createValues(operation), parameters: { limit: '1' } }));
  const [answer, setAnswer] = useState<Answer>();
  const send = () => sendRequest(operation, values).then(setAnswer);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it reads one user, once
  useEffect(() => void send(), []);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    send();
  };
  return (
    <section className="operation start" aria-labelledby="start">
      <header>
        <h2 id="start">Start</h2>
      </header>
      <div className="explanation">
        <p>All paths are below this URL:</p>
        <BaseUrl url={new URL(baseUrl, location.origin).origin} />
        <form aria-label="First request" onSubmit={onSubmit}>
          <TokenInput />
          <button type="submit" className="primary">
            Send
          </button>
        </form>
      </div>
      <div>
        <Sample operation={operation} values={values} />
        <div role="status" className="first-answer">
          {answer && <AnswerView answer={answer} />}
        </div>
      </div>
    </section>
  );
}

function BaseUrl({ url }: { url: string }) {
  const { copy, copied } = useClipboard();
  return (
    <p className="base-url">
      <code>{url}</code>
      <button type="button" aria-label={copied ? 'Copied the base URL' : 'Copy the base URL'} onClick={() => copy(url)}>
        {copied ? 'Copied' : 'Copy'}
      </button>
    </p>
  );
}
