import { Box, Button, Code, CopyButton, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { type Answer, AnswerView, sendRequest } from './answer.tsx';
import type { Operation } from './document.ts';
import classes from './reference.module.css';
import { createValues, type RequestValues } from './request.ts';
import { Sample } from './sample.tsx';
import { TokenInput } from './token-input.tsx';

export function FirstRequest({ operation, baseUrl }: { operation: Operation; baseUrl: string }) {
  const [values] = useState<RequestValues>(() => ({ ...createValues(operation), parameters: { limit: '1' } }));
  const [answer, setAnswer] = useState<Answer>();
  const sent = useRef(0);
  /** Drops the answer of an earlier request. */
  const send = async () => {
    sent.current += 1;
    const number = sent.current;
    const received = await sendRequest(operation, values);
    if (number === sent.current) setAnswer(received);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: sends the example request only once
  useEffect(() => void send(), []);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    send();
  };
  const url = new URL(baseUrl, location.origin).origin;
  return (
    <section className={classes.operation} aria-labelledby="start">
      <Stack gap="sm">
        <Title order={2} size="h3" id="start">
          Start
        </Title>
        <Text>All paths are below this URL:</Text>
        <Group gap="xs">
          <Code fz="sm" className={classes.long}>
            {url}
          </Code>
          <CopyButton value={url}>
            {({ copied, copy }) => (
              <Button
                variant="default"
                size="xs"
                aria-label={copied ? 'Copied the base URL' : 'Copy the base URL'}
                onClick={copy}
              >
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        </Group>
        <Paper component="form" withBorder p="sm" aria-label="First request" onSubmit={onSubmit}>
          <TokenInput />
          <Button type="submit" size="xs" mt="sm">
            Send
          </Button>
        </Paper>
      </Stack>
      <div>
        <Sample operation={operation} values={values} />
        {/* Minimum height: the response causes no layout shift. */}
        <Box role="status" mih="14rem">
          {answer && <AnswerView answer={answer} />}
        </Box>
      </div>
    </section>
  );
}
