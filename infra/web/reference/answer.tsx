import { Anchor, Stack, Text } from '@mantine/core';
import { readAuthorization, setToken } from '../console/auth/access-token.ts';
import { CodeBlock } from '../console/code-block.tsx';
import { formatJson } from '../console/format.ts';
import type { Operation } from './document.ts';
import { Status } from './labels.tsx';
import { createRequest, type RequestValues } from './request.ts';

export type Answer = {
  status: string;
  start: number;
  milliseconds: number;
  headers: [string, string][];
  body: string;
  /** The header that was sent. */
  authorization?: string | undefined;
};

export async function sendRequest(operation: Operation, values: RequestValues): Promise<Answer> {
  const { url, headers, ...init } = createRequest(operation, values);
  const start = performance.now();
  const stop = () => ({ start, milliseconds: Math.round(performance.now() - start) });
  const { authorization } = readAuthorization();
  const request = createHttpRequest(url, { ...init, headers: { ...headers, ...(authorization && { authorization }) } });
  const response = await (request && fetch(request).catch(() => undefined));
  // Browsers do not report why a request failed.
  const problem = request ? 'The service cannot be reached' : 'A header has characters that none may have';
  if (!response) return { status: `Not sent: ${problem}`, headers: [], body: '', ...stop() };
  return {
    status: `${response.status} ${response.statusText}`,
    body: formatJson(await response.text()),
    headers: [...response.headers],
    authorization,
    ...stop(),
  };
}

function createHttpRequest(url: string, init: RequestInit): Request | undefined {
  try {
    return new Request(url, init);
  } catch {
    return undefined;
  }
}

/** The console would return at once with a rejected token. Expired tokens are not sent: the console renews them. */
function dropToken(rejected: string | undefined): void {
  if (rejected && rejected === readAuthorization().authorization) setToken(undefined);
}

export const AnswerView = ({ answer: { status, milliseconds, headers, body, authorization } }: { answer: Answer }) => (
  <Stack gap="xs" mt="xs">
    <Text>
      <Status>{status}</Status> {milliseconds} ms
    </Text>
    {status.startsWith('401') && (
      <Text>
        This service requires an access token: paste one, or{' '}
        <Anchor href="/?return=/docs" onClick={() => dropToken(authorization)}>
          sign in
        </Anchor>
        .
      </Text>
    )}
    {body && <CodeBlock label="Answer">{body}</CodeBlock>}
    <details>
      <summary>{headers.length} headers</summary>
      <CodeBlock label="Headers of the answer">
        {headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
      </CodeBlock>
    </details>
  </Stack>
);
