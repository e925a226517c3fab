import { Button, CopyButton, Group, NativeSelect, Paper } from '@mantine/core';
import { accessToken } from '../console/auth/access-token.ts';
import { CodeBlock } from '../console/code-block.tsx';
import { useStore, useStored } from '../console/store.ts';
import type { Operation } from './document.ts';
import { createRequest, type Language, type RequestValues, samples } from './request.ts';

const languages = Object.keys(samples) as Language[];

export function Sample({ operation, values }: { operation: Operation; values: RequestValues }) {
  const [stored, setStored] = useStored('reference:language', 'curl');
  const language = languages.find((each) => each === stored) ?? 'curl';
  const token = useStore(accessToken);
  const request = createRequest(operation, values);
  const headers = { ...request.headers, ...(token ? { Authorization: 'Bearer <token>' } : {}) };
  const text = samples[language]({ ...request, headers });

  return (
    <Paper withBorder mb="sm">
      <Group justify="space-between" p="xs">
        <NativeSelect
          size="xs"
          aria-label={`Language of the sample: ${operation.summary}`}
          data={languages}
          value={language}
          onChange={(event) => setStored(event.target.value)}
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
