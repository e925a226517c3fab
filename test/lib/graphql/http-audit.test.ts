import { type AuditResult, serverAudits } from 'graphql-http';
import { expect, test } from 'vitest';
import { send } from './client.ts';

async function fetchFn(address: string, init?: RequestInit): Promise<Response> {
  const { method, headers, url, body } = new Request(address, init);
  const response = await send(method, {
    query: Object.fromEntries(new URL(url).searchParams),
    headers: Object.fromEntries(headers),
    body: body ? await new Response(body).text() : undefined,
  });
  const responseHeaders = Object.entries(response.headers).map(([name, value]): [string, string] => [name, `${value}`]);
  return new Response(response.text, { status: response.status, headers: responseHeaders });
}

const audits = serverAudits({ url: 'http://localhost/graphql', fetchFn });

/** Skips MAY, which is optional: https://graphql.github.io/graphql-over-http/draft/. */
const isRequired = ({ name }: { name: string }) => /^(MUST|SHOULD)\b/.test(name);

test.for(audits.filter(isRequired))('$name ($id)', async ({ fn }) => {
  const result: AuditResult = await fn();
  expect(result, 'reason' in result ? result.reason : '').toMatchObject({ status: 'ok' });
});

test('there are more than 30 required audits', () => {
  expect(audits.filter(isRequired).length).toBeGreaterThan(30);
});
