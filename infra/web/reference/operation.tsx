import { useState } from 'react';
import type { Operation } from './document.ts';
import { Markdown } from './markdown.tsx';
import { createValues } from './request.ts';
import { Sample } from './sample.tsx';
import { Members, Parameters } from './schema.tsx';
import { TryRequest } from './try-request.tsx';

export function OperationSection({ operation }: { operation: Operation }) {
  const [values, setValues] = useState(() => createValues(operation));
  const { anchor, operationId, method, path, summary, description, deprecated, parameters, body, responses } =
    operation;
  return (
    <section id={anchor} className="operation">
      <header>
        <h3>{summary}</h3>
        <p className="address">
          <span className={`method ${method}`}>{method}</span> <code>{path}</code>
          {deprecated && <span className="deprecated">deprecated</span>}
          <span className="operation-id">{operationId}</span>
        </p>
      </header>
      <div className="explanation">
        <Markdown text={description} />
        {parameters.length > 0 && (
          <>
            <h4>Parameters</h4>
            <Parameters parameters={parameters} />
          </>
        )}
        {body && (
          <>
            <h4>Body</h4>
            <p className="media-types">{body.mediaTypes.join(', ')}</p>
            <Members schema={body.schema} />
          </>
        )}
        <h4>Responses</h4>
        {responses.map((response) => (
          <ResponseDetails key={response.status} response={response} />
        ))}
      </div>
      <div className="request">
        <Sample operation={operation} values={values} />
        <TryRequest operation={operation} values={values} onChange={setValues} />
      </div>
    </section>
  );
}

/** What is closed is not rendered, because a page has more than a hundred responses. */
function ResponseDetails({ response }: { response: Operation['responses'][number] }) {
  const { status, description, headers, content } = response;
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="response" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span className={`status status-${status[0]}`}>{status}</span> {description}
      </summary>
      {isOpen && headers.length > 0 && (
        <>
          <h5>Headers</h5>
          <Parameters parameters={headers} />
        </>
      )}
      {isOpen &&
        content.map(({ mediaType, schema, example }) => (
          <div key={mediaType}>
            <h5>{mediaType}</h5>
            <Members schema={schema} />
            <pre>{JSON.stringify(example, null, 2)}</pre>
          </div>
        ))}
    </details>
  );
}
