import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { table } from '../../../lib/dynamodb/client.ts';
import { newPerson } from '../../setup/test-data.ts';
import { bare, enveloped, parseError, type RestClient, UNKNOWN_ID } from './client.ts';

const operations = {
  list: (client: RestClient) => client.list(),
  get: (client: RestClient) => client.get(UNKNOWN_ID),
  create: (client: RestClient) => client.create(newPerson()),
  replace: (client: RestClient) => client.replace(UNKNOWN_ID, newPerson()),
  update: (client: RestClient) => client.update(UNKNOWN_ID, { name: 'Ada' }),
  delete: (client: RestClient) => client.remove(UNKNOWN_ID),
};

const database = mockClient(table);
afterAll(() => database.restore());
const log = vi.spyOn(console, 'error').mockImplementation(() => {});

beforeEach(() => {
  database.reset();
  log.mockClear();
});

const createAwsError = (name: string, httpStatusCode: number) =>
  Object.assign(new Error('arn:aws:dynamodb:eu-west-1:123456789012:table/users'), {
    name,
    $metadata: { httpStatusCode },
  });

/** Tests each operation in one format, because errors are the same in both. */
const cases = Object.entries(operations).map(([name, call], at) => {
  const client = at % 2 ? bare : enveloped;
  return { client, path: client.path, name, call };
});

test('the request line of a failed request has the failure rate of the process', async () => {
  const info = vi.spyOn(console, 'info').mockReturnValue();
  // Load the modules again, like a new process.
  vi.resetModules();
  const { logError, withRequestLog } = await import('../../../lib/log.ts');
  const event = { routeKey: 'GET /v1/users/{id}', requestContext: { http: {} } } as APIGatewayProxyEventV2; // Only these are read.
  const request = (fails: boolean) =>
    withRequestLog(event, async () => {
      if (fails) logError(new Error('failed'));
      return { result: { statusCode: fails ? 500 : 200 } };
    });
  for (const fails of [true, false, false, true]) await request(fails);
  expect(info.mock.calls.map(([line]) => line.failureRate)).toEqual([1, undefined, undefined, 0.5]);
  info.mockRestore();
});

describe.each(cases)('$name at $path', ({ client, call }) => {
  test('returns 500 without details for an unexpected error, and logs it once with all details', async () => {
    database.rejects(new TypeError('secret of /srv/lib/table.ts'));
    const response = await call(client);
    expect(response).toMatchObject({ status: 500, headers: { 'content-type': 'application/json' } });
    expect(response.json).toEqual({ error: 'Internal server error' });
    expect(log.mock.calls).toEqual([
      [
        expect.objectContaining({
          requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          routeKey: expect.stringContaining(client.path),
          error: expect.objectContaining({ name: 'TypeError', message: 'secret of /srv/lib/table.ts' }),
        }),
      ],
    ]);
  });

  test.each([
    ['ThrottlingException', 400],
    ['ProvisionedThroughputExceededException', 400],
    ['RequestLimitExceeded', 400],
    ['InternalServerError', 500],
  ])('returns 503 with Retry-After when DynamoDB throws %s', async (name, status) => {
    database.rejects(createAwsError(name, status));
    const response = await call(client);
    expect(response).toMatchObject({ status: 503, headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) } });
    expect(parseError(response)).toEqual({ error: 'The service is busy; please try again' });
  });

  test('returns 500, not 503, when DynamoDB denies access', async () => {
    database.rejects(createAwsError('AccessDeniedException', 400));
    expect((await call(client)).status).toBe(500);
  });
});

test('an internal error is a problem without details if Accept lists it', async () => {
  database.rejects(new TypeError('secret of /srv/lib/table.ts'));
  const { status, json } = await bare.get(UNKNOWN_ID, { accept: 'application/json, application/problem+json' });
  expect(status).toBe(500);
  expect(json).toEqual({
    type: 'urn:user-management:problem:internal-server-error',
    title: 'An unexpected error',
    status: 500,
    detail: 'Internal server error',
    code: 'INTERNAL_SERVER_ERROR',
  });
});

test('a 4xx is not logged as an error', async () => {
  expect((await bare.create({})).status).toBe(400);
  expect((await bare.list({}, { accept: 'text/html' })).status).toBe(406);
  expect(log).not.toHaveBeenCalled();
});
