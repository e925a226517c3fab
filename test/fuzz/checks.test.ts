import { describe, expect, test } from 'vitest';
import { checkLog } from './check-log.ts';
import { checkResponse, readUnits } from './check-response.ts';
import { createMemoryCheck } from './memory.ts';
import { findBlocking } from './responsiveness.ts';

const REQUEST = { method: 'GET', path: '/v1/users', headers: {} };
const OK = { status: 200, headers: { 'content-type': 'application/json' }, body: '[]', bytes: 2 };
const GRAPHQL = { ...REQUEST, path: '/graphql' };

describe('a response', () => {
  test.each([
    ['of status 500', REQUEST, { status: 500 }, /status is 500/],
    ['of status 503', REQUEST, { status: 503 }, /status is 503/],
    ['with a larger list than 1000 users', REQUEST, { bytes: 3_000_000 }, /3000000 bytes/],
    ['with a large error', GRAPHQL, { status: 400, bytes: 5_000 }, /5000 bytes/],
    ['with large errors and no data', GRAPHQL, { body: '{"errors":[{}],"data":null}', bytes: 5_000 }, /5000 bytes/],
    [
      'to a search that consumed too much',
      { ...GRAPHQL, body: '{"query":"{ users(search: \\"ad\\") { totalCount } }"}' },
      { headers: { 'server-timing': 'db;desc="15 requests, 3127 RCU", total;dur=1' } },
      /3127 units, more than 900/,
    ],
    ['above the budget of GraphQL', GRAPHQL, { bytes: 6_000_000 }, /6000000 bytes/],
    ['that is not JSON', REQUEST, { body: '[' }, /not valid JSON/],
    ['with a masked internal error', GRAPHQL, { body: '{"code":"INTERNAL_SERVER_ERROR"}' }, /internal error/],
    ['with a stack trace', REQUEST, { body: '"Error\n    at file.ts:1:2"' }, /stack trace/],
    [
      'that consumed too much',
      REQUEST,
      { headers: { 'server-timing': 'db;desc="9 requests, 9999.5 RCU, 1 WCU", total;dur=1' } },
      /10000.5 units/,
    ],
  ])('%s breaks a bound', (_, request, response, problem) => {
    expect(checkResponse(request, { ...OK, ...response }).join()).toMatch(problem);
  });

  test('within the bounds has no problems', () => {
    expect(checkResponse(REQUEST, OK)).toEqual([]);
    expect(checkResponse(GRAPHQL, { ...OK, bytes: 4_000_000 })).toEqual([]);
  });

  test('states the capacity it consumed', () => {
    expect(
      readUnits({ ...OK, headers: { 'server-timing': 'db;desc="2 requests, 1.5 RCU, 4 WCU", total;dur=3' } }),
    ).toBe(5.5);
    expect(readUnits(OK)).toBe(0);
  });
});

describe('a log line', () => {
  test.each([
    ['with an address', '{"level":"INFO","message":{"route":"ada@example.com"}}', /address/],
    ['of an error', '{"level":"ERROR","message":{"event":"internal-error"}}', /error/],
    ['that is counted for an alarm', '{"level":"WARN","message":{"event":"unavailable"}}', /unavailable/],
    ['of a crash', 'TypeError: x is not a function', /not JSON/],
  ])('%s is a problem', (_, line, problem) => {
    expect(checkLog(line).join()).toMatch(problem);
  });

  test('of a request has no problems', () => {
    expect(
      checkLog('{"level":"INFO","message":{"event":"request","route":"GET /v1/users","caller":"anonymous"}}'),
    ).toEqual([]);
  });
});

describe('the memory', () => {
  const MB = 1024 * 1024;
  /** Measures after each of 100 requests, and returns all problems. */
  async function measure(heap: (sent: number) => number, peak = 100 * MB): Promise<string[]> {
    let sent = 0;
    const readUsage = async () => ({ memory: heap(sent), peak, cpu: 0 });
    const service = { readUsage, readUsageWithoutGarbage: readUsage };
    const memory = createMemoryCheck(service, 100);
    const problems: string[] = [];
    for (sent = 1; sent <= 100; sent++) problems.push(...(await memory.check(sent)));
    return problems;
  }

  test('may grow at first, and vary', async () => {
    expect(await measure((sent) => (30 + Math.min(sent, 15) * 3 + (sent % 2) * 30) * MB)).toEqual([]);
  });

  test('must not grow with the number of requests', async () => {
    expect((await measure((sent) => (30 + sent) * MB)).at(0)).toMatch(/^the memory grew by \d+\.\d MB/);
  });

  test('of the process is bounded', async () => {
    expect(await measure(() => 30 * MB, 2000 * MB)).toEqual(['the process took 2000.0 MB, more than 1024 MB']);
  });
});

describe('a light request', () => {
  const document = { ...GRAPHQL, method: 'POST', body: '{"query":"{ __typename }"}' };

  test.each([
    ['150 ms for another one', REQUEST, [200, 151, 160], 'a light request waits 151 ms for GET /v1/users'],
    ['150 ms for one without a document', GRAPHQL, [200, 151, 160], 'a light request waits 151 ms for GET /graphql'],
    ['500 ms for a document', document, [700, 600, 650], 'a light request waits 600 ms for POST /graphql'],
  ])('must not wait longer than %s, which is named', async (_, request, waits, problem) => {
    const measure = async (one: object) => (one === request ? (waits.shift() ?? 0) : 100);
    expect(await findBlocking([REQUEST, GRAPHQL, document], measure, () => 1)).toEqual([problem]);
  });

  test('may wait longer once', async () => {
    const waits = [900, 100];
    expect(
      await findBlocking(
        [REQUEST],
        async () => waits.shift() ?? 900,
        () => 1,
      ),
    ).toEqual([]);
  });

  test('may wait longer on a slow machine', async () => {
    const find = (wait: number) =>
      findBlocking(
        [REQUEST],
        async () => wait,
        () => 4,
      );
    expect([await find(500), await find(700)]).toEqual([[], [expect.any(String)]]);
  });
});
