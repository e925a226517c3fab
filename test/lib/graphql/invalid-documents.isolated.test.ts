import { GraphQLError } from 'graphql';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { logInternalErrors } from '../../../lib/graphql/http/plugins.ts';
import { requestStream } from '../features/change-log/sse/sse-client.ts';

const SECRET = 'ada@example.org';

/** Fragments that select 2^14 fields with about 100 tokens. */
const DOUBLING_FRAGMENTS = Array.from(
  { length: 14 },
  (_, at) => `fragment F${at} on User { ...F${at + 1} ...F${at + 1} }`,
)
  .concat('fragment F14 on User { id }')
  .join(' ');

const QUERY = `query Run { userByEmail(email: "${SECRET}") { ...F0 } }`;
const SUBSCRIPTION = 'subscription Run { userChanged { user { ...F0 } } }';
const CONDITIONAL_SUBSCRIPTION = 'subscription Other($on: Boolean!) { userChanged @include(if: $on) { id } }';

const logs = (['error', 'warn', 'info'] as const).map((level) => vi.spyOn(console, level).mockImplementation(() => {}));
afterEach(() => {
  for (const log of logs) log.mockClear();
});

const headers = { accept: 'application/graphql-response+json', 'apollo-require-preflight': 'true' };
const operationName = 'Run';
const TRANSPORTS = {
  POST: (query: string) => requestStream({ body: { query, operationName }, headers }),
  GET: (query: string) => requestStream({ query: { query, operationName }, headers }, 'GET'),
  SSE: (query: string) => requestStream({ body: { query: query.replace(QUERY, SUBSCRIPTION), operationName } }),
};

describe.each(Object.entries(TRANSPORTS))('%s', (_, send) => {
  test.each([
    ['doubling fragments', `${QUERY} ${DOUBLING_FRAGMENTS}`],
    ['a subscription with a conditional root field', `${QUERY} fragment F0 on User { id } ${CONDITIONAL_SUBSCRIPTION}`],
  ])('returns 400 with a code, and logs neither an error nor the document, for %s', async (_, query) => {
    const { status, json } = await send(query);
    expect([status, json?.errors?.[0]?.extensions.code]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
    const [errors, warnings, requests] = logs;
    expect([errors?.mock.calls, warnings?.mock.calls]).toEqual([[], []]);
    expect(JSON.stringify(requests?.mock.calls)).not.toContain(SECRET);
  });
});

test('an internal error of Apollo is logged with its stack and without its message', async () => {
  const error = new GraphQLError(`Invalid value ${SECRET}`);
  await logInternalErrors.unexpectedErrorProcessingRequest?.({ error, requestContext: {} as never });
  const logged = JSON.stringify(logs[0]?.mock.calls);
  expect(logged).toContain('invalid-documents.isolated.test.ts');
  expect(logged).not.toContain(SECRET);
});
