import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../lib/rest/operations.ts';
import { responseFormats } from '../lib/rest/responses.ts';
import { type LocalService, startLocalService } from './setup/local-service.ts';

/** Parses part of the format of https://github.com/Huachao/vscode-restclient. */
const [preamble = '', ...sections] = readFileSync('requests.http', 'utf8').split(/^### /m);

const requests = sections.map((section) => {
  const [head = '', ...paragraphs] = section.trim().split('\n\n');
  const [title = '', ...lines] = head.split('\n');
  const name = /^# @name (\w+)$/.exec(lines[0] ?? '')?.[1];
  const [requestLine = '', ...headers] = name ? lines.slice(1) : lines;
  const [method = '', url = ''] = requestLine.split(' ');
  return { title, name, method, url, headers, body: paragraphs.join('\n\n') };
});

/** Returns the status in a request's title, e.g. (404). */
const parseStatus = ({ title }: { title: string }) => Number(/\((\d{3})\)/.exec(title)?.[1]);

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService(['--memory']);
});
afterAll(() => service.stop());

/** Variables that the file declares. Results of named requests are in `responses`. */
const variables = new Map(
  [...preamble.matchAll(/^@(\w+) = (.+)$/gm)].map(([, name = '', value = '']) => [name, value]),
);
const responses = new Map<string, { headers: Headers; body: unknown }>();

const fill = (text: string) => text.replace(/\{\{(.+?)\}\}/g, (_, expression: string) => evaluate(expression));

function evaluate(expression: string): string {
  if (expression === 'host') return service.url;
  if (expression === '$guid') return randomUUID();
  if (expression.startsWith('$datetime')) return new Date().toISOString().slice(0, 10);
  const {
    name = '',
    header,
    path,
  } = /^(?<name>\w+)\.response\.(headers\.(?<header>\S+)|body\.\$\.(?<path>\S+))$/.exec(expression)?.groups ?? {};
  const response = responses.get(name);
  const value = path
    ? path.split('.').reduce((json, key) => (json as Record<string, unknown>)?.[key], response?.body)
    : header
      ? response?.headers.get(header)
      : variables.get(expression);
  if (typeof value !== 'string') throw new Error(`Unknown expression: ${expression}`);
  return value;
}

function parseHeader(line: string): [name: string, value: string] {
  const [name = '', value = ''] = fill(line).split(': ');
  return [name, value];
}

test('every request of requests.http gets the status in its title, and GraphQL reports no errors', async () => {
  const results = [];
  for (const { title, name, method, url, headers, body } of requests) {
    const response = await fetch(fill(url), {
      method,
      headers: headers.map(parseHeader),
      ...(body ? { body: fill(body) } : {}),
    });
    results.push({ title, status: response.status });
    if (response.headers.get('content-type')?.includes('text/event-stream')) {
      await response.body?.cancel();
      continue;
    }
    const text = await response.text();
    const json: unknown = text ? JSON.parse(text) : undefined;
    if (name) responses.set(name, { headers: response.headers, body: json });
    if (url.endsWith('/graphql')) expect(json).not.toHaveProperty('errors');
  }
  expect(results).toEqual(requests.map((request) => ({ title: request.title, status: parseStatus(request) })));
});

test('requests.http has every REST operation in both response formats', () => {
  const sent = requests.map(
    ({ method, url }) => `${method} ${url.replace(/\?.*/, '').replace(/\{\{\w+\..*\}\}/, '{id}')}`,
  );
  for (const format of responseFormats)
    for (const { method, path } of routes.map(({ operation }) => operation))
      expect(sent).toContain(`${method} {{host}}${format.path}${path}`);
});
