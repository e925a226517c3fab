import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { table } from '../../lib/dynamodb/client.ts';
import { codeOf, execute } from './client.ts';

const QUERY = '{ user(id: "01890000-0000-7000-8000-000000000000") { name } }';

describe('a fault', () => {
  const database = mockClient(table);
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  afterEach(() => {
    database.reset();
    log.mockClear();
  });

  test('is masked, and logged once with all of it', async () => {
    database.rejects(new TypeError('secret of /srv/lib/table.ts'));
    const answer = await execute(QUERY);
    expect(answer.errors).toEqual([
      {
        message: 'Internal server error',
        locations: expect.any(Array),
        path: ['user'],
        extensions: { code: 'INTERNAL_SERVER_ERROR' },
      },
    ]);
    expect(answer.text).not.toContain('secret');
    expect(log.mock.calls).toEqual([
      [
        expect.objectContaining({
          event: 'fault',
          error: expect.objectContaining({ name: 'TypeError', message: 'secret of /srv/lib/table.ts' }),
        }),
      ],
    ]);
  });

  test('of a database that is busy tells the caller to try again, and is none of ours', async () => {
    const throttled = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException', $metadata: {} });
    database.rejects(throttled);
    const answer = await execute(QUERY);
    expect(codeOf(answer)).toBe('SERVICE_UNAVAILABLE');
    expect(log).not.toHaveBeenCalled();
  });
});
