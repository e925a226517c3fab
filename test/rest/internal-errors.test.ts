import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { table } from '../../lib/dynamodb/client.ts';
import { newPerson } from '../setup/test-data.ts';
import { type RestClient, clients, parseError } from './client.ts';

const ID = '01890000-0000-7000-8000-000000000000';

const operations = {
  list: (client: RestClient) => client.list(),
  get: (client: RestClient) => client.get(ID),
  create: (client: RestClient) => client.create(newPerson()),
  replace: (client: RestClient) => client.replace(ID, newPerson()),
  update: (client: RestClient) => client.update(ID, { name: 'Ada' }),
  delete: (client: RestClient) => client.remove(ID),
};

const database = mockClient(table);
const log = vi.spyOn(console, 'error').mockImplementation(() => {});

beforeEach(() => {
  database.reset();
  log.mockClear();
});

const awsError = (name: string, httpStatusCode: number) =>
  Object.assign(new Error('arn:aws:dynamodb:eu-west-1:123456789012:table/users'), {
    name,
    $metadata: { httpStatusCode },
  });

const cases = clients.flatMap((client) =>
  Object.entries(operations).map(([name, call]) => ({ client, path: client.path, name, call })),
);

describe.each(cases)('$name at $path', ({ client, call }) => {
  test('is 500 for a fault, which the caller learns nothing of', async () => {
    database.rejects(new TypeError('secret of /srv/lib/table.ts'));
    const reply = await call(client);
    expect(reply.status).toBe(500);
    expect(reply.json).toEqual({ error: 'Internal server error' });
    expect(reply.headers['content-type']).toBe('application/json');
  });

  test('logs a fault once, with the id of the request and the whole error', async () => {
    database.rejects(new TypeError('secret of /srv/lib/table.ts'));
    await call(client);
    expect(log.mock.calls).toEqual([
      [
        expect.objectContaining({
          event: 'fault',
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
  ])('is 503 with Retry-After where the database answers %s', async (name, status) => {
    database.rejects(awsError(name, status));
    const reply = await call(client);
    expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) } });
    expect(parseError(reply)).toEqual({ error: 'The service is busy; please try again' });
  });

  test('is 500, not 503, where the database refuses the function', async () => {
    database.rejects(awsError('AccessDeniedException', 400));
    expect((await call(client)).status).toBe(500);
  });
});

test('a request that the caller got wrong is no fault, and is not logged as one', async () => {
  for (const client of clients) await client.create({});
  expect(log).not.toHaveBeenCalled();
});
