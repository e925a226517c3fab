import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { table } from '../../../lib/dynamodb/client.ts';
import { execute, getErrorCode } from './client.ts';

const QUERY = '{ user(id: "01890000-0000-7000-8000-000000000000") { name } }';

describe('an internal error', () => {
  const database = mockClient(table);
  afterAll(() => database.restore());
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  afterEach(() => {
    database.reset();
    log.mockClear();
  });

  test('is masked in the response and logged once with all details', async () => {
    database.rejects(new TypeError('secret of /srv/lib/table.ts'));
    const response = await execute(QUERY);
    expect(response.errors).toEqual([
      {
        message: 'Internal server error',
        locations: expect.any(Array),
        path: ['user'],
        extensions: { code: 'INTERNAL_SERVER_ERROR' },
      },
    ]);
    expect(response.text).not.toContain('secret');
    expect(log.mock.calls).toEqual([
      [
        expect.objectContaining({
          event: 'internal-error',
          error: expect.objectContaining({ name: 'TypeError', message: 'secret of /srv/lib/table.ts' }),
        }),
      ],
    ]);
  });

  test('is not logged if DynamoDB throttles: the response is SERVICE_UNAVAILABLE', async () => {
    const throttled = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException', $metadata: {} });
    database.rejects(throttled);
    const response = await execute(QUERY);
    expect(getErrorCode(response)).toBe('SERVICE_UNAVAILABLE');
    expect(log).not.toHaveBeenCalled();
  });
});
