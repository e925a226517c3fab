import { Code, Group, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock } from '../console/code-block.tsx';
import type { Operation } from './document.ts';
import { Mark, Method, Status } from './labels.tsx';
import { Markdown } from './markdown.tsx';
import classes from './reference.module.css';
import { createValues } from './request.ts';
import { Sample } from './sample.tsx';
import { Members, Parameters } from './schema.tsx';
import { TryRequest } from './try-request.tsx';

export function OperationSection({ operation }: { operation: Operation }) {
  const [values, setValues] = useState(() => createValues(operation));
  const { anchor, operationId, method, path, summary, description, deprecated, parameters, body, responses } =
    operation;
  return (
    <section id={anchor} className={classes.operation}>
      <header>
        <Title order={3} size="h4">
          {summary}
        </Title>
        <Group gap="xs" mt={4}>
          <Method>{method}</Method> <Code className={classes.long}>{path}</Code>
          {deprecated && <Mark>deprecated</Mark>}
          <Text span size="sm" c="dimmed">
            {operationId}
          </Text>
        </Group>
      </header>
      <div>
        <Markdown text={description} />
        {parameters.length > 0 && (
          <>
            <Part>Parameters</Part>
            <Parameters parameters={parameters} />
          </>
        )}
        {body && (
          <>
            <Part>Body</Part>
            <Text size="sm" c="dimmed">
              {body.mediaTypes.join(', ')}
            </Text>
            <Members schema={body.schema} />
          </>
        )}
        <Part>Responses</Part>
        {responses.map((response) => (
          <ResponseDetails key={response.status} response={response} />
        ))}
      </div>
      <div className={classes.request}>
        <Sample operation={operation} values={values} />
        <TryRequest operation={operation} values={values} onChange={setValues} />
      </div>
    </section>
  );
}

const Part = ({ children }: { children: string }) => (
  <Title order={4} size="h5" mt="lg" mb={4}>
    {children}
  </Title>
);

/** Renders its content only while open, because a page has more than a hundred responses. */
function ResponseDetails({ response }: { response: Operation['responses'][number] }) {
  const { status, description, headers, content } = response;
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.member} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Status>{status}</Status> {description}
      </summary>
      {isOpen && headers.length > 0 && (
        <>
          <Title order={5} mt="sm">
            Headers
          </Title>
          <Parameters parameters={headers} />
        </>
      )}
      {isOpen &&
        content.map(({ mediaType, schema, example }) => (
          <div key={mediaType}>
            <Title order={5} mt="sm">
              {mediaType}
            </Title>
            <Members schema={schema} />
            <CodeBlock label={`Example of ${status}: ${mediaType}`}>{JSON.stringify(example, null, 2)}</CodeBlock>
          </div>
        ))}
    </details>
  );
}
