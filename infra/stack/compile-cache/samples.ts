import { type AnyOperation, operations } from '../../../lib/rest/operations.ts';
import { createStreamEvent, USER_ID } from './warmup-data.ts';

type SampleRequest = { path: string; method: string; headers?: Record<string, string>; body?: string };

const withBody = (body: object) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

const toSampleRequest = ({ method, path, examples: [{ query, body }] }: AnyOperation): SampleRequest => ({
  method,
  path: `/v1/users${path.replace('{id}', USER_ID)}${query ? `?${query}` : ''}`,
  ...(body ? withBody(body) : {}),
});

/** A request for each function that has an API. */
export const sampleRequests: Record<string, SampleRequest> = {
  ...Object.fromEntries(Object.entries(operations).map(([name, operation]) => [name, toSampleRequest(operation)])),
  graphql: { method: 'POST', path: '/graphql', ...withBody({ query: `{ user(id: "${USER_ID}") { id name email } }` }) },
};

export const sampleEvents: Record<string, unknown> = { 'on-change': createStreamEvent(), 'index-pages': {} };
