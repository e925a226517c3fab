import { expect, test } from 'vitest';
import { requestStream, requestSubscription, type StreamedResponse } from '../features/change-log/sse/sse-client.ts';

const BODY = { query: '{ __typename }' };

const RESPONSES: [string, () => Promise<StreamedResponse>][] = [
  ['a streamed answer', () => requestStream({ body: BODY, headers: { accept: 'application/json' } })],
  ['a syntax error', () => requestStream({ body: { query: '{' }, headers: { accept: 'application/json' } })],
  ['a media type that is not supported', () => requestStream({ body: BODY, headers: { accept: 'text/html' } })],
  ['an event stream', () => requestSubscription('subscription { userChanged { id } }')],
  ['a subscription that cannot start', () => requestSubscription('subscription { unknown }')],
];

test.each(RESPONSES)('browsers do not sniff the type of %s', async (_, request) => {
  const response = await request();
  expect(response.headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
  await response.disconnect();
});
