import { Button, CopyButton, Group, NativeSelect, Paper } from '@mantine/core';
import { accessToken } from '../console/auth/access-token.ts';
import { createStore, useStore } from '../console/store.ts';
import { CodeBlock } from './code-block.tsx';
import type { Operation } from './document.ts';
import { createRequest, type Language, type RequestValues, samples } from './request.ts';

const KEY = 'reference:language';
const languages = Object.keys(samples) as Language[];

/** All operations show the same language, which is kept for the next visit. */
const language = createStore(languages.find((each) => each === localStorage.getItem(KEY)) ?? 'curl');

function choose(chosen: string): void {
  localStorage.setItem(KEY, chosen);
  language.set((current) => languages.find((each) => each === chosen) ?? current);
}

/** Shows the program that sends the request as it is entered, without the token itself. */
export function Sample({ operation, values }: { operation: Operation; values: RequestValues }) {
  const chosen = useStore(language);
  const token = useStore(accessToken);
  const request = createRequest(operation, values);
  const headers = { ...request.headers, ...(token ? { Authorization: 'Bearer <token>' } : {}) };
  const text = samples[chosen]({ ...request, headers });

  return (
    <Paper withBorder mb="sm">
      <Group justify="space-between" p="xs">
        <NativeSelect
          size="xs"
          aria-label={`Language of the sample: ${operation.summary}`}
          data={languages}
          value={chosen}
          onChange={(event) => choose(event.target.value)}
        />
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button variant="default" size="xs" onClick={copy}>
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <CodeBlock label={`Sample: ${operation.summary}`}>{text}</CodeBlock>
    </Paper>
  );
}
