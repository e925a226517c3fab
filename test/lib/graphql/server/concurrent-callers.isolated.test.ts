import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startFaultProxy } from '../../../setup/proxy.ts';
import { AUDIENCE, startIssuer } from '../../auth/issuer.ts';

const CALLERS = Array.from({ length: 40 }, (_, caller) => caller);

/**
 * The proxy holds every request of a held caller, so the database does not answer. The greedy caller exceeds the limit
 * of items.
 */
const isHeld = (caller: number) => caller % 10 === 1;
const isGreedy = (caller: number) => caller === 2;
const mayOnlyRead = (caller: number) => caller % 10 === 3;

/**
 * Callers with a database request. Each caller's first request waits for all others, so all GraphQL requests are
 * concurrent.
 */
let arrived = new Set<number>();
let all = Promise.withResolvers<void>();
let holds = false;
const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', async (_, body) => {
  const caller = Number(/caller-(\d+)@/.exec(body)?.[1] ?? Number.NaN);
  if (Number.isNaN(caller)) return undefined;
  arrived.add(caller);
  if (arrived.size === CALLERS.length) all.resolve();
  await all.promise;
  return holds && isHeld(caller) ? 'hold' : undefined;
});
const issuer = await startIssuer();
Object.assign(process.env, {
  AWS_ENDPOINT_URL_DYNAMODB: proxy.url,
  AUTH_ISSUER: issuer.url,
  AUTH_AUDIENCE: AUDIENCE,
  // Long, because all callers, the server and the proxy run in one thread.
  ATTEMPT_TIME_LIMIT_MS: '250000',
});
const { environment } = await import('../../../../lib/environment.ts');
const { createGraphqlServer } = await import('../../../../lib/graphql/server/server.ts');

const { server } = createGraphqlServer({ headersTimeout: 0, requestTimeout: 0 });

// No timeout, because fetching the issuer's keys may take long on a busy machine.
environment.timeout = () => new AbortController().signal;

/**
 * Only requests of held callers have a short time limit. If requests mixed up their callers, others would time out as
 * well.
 */
const running = new AsyncLocalStorage<number>();
Object.defineProperty(environment, 'requestTimeLimitMs', {
  get: () => (holds && isHeld(running.getStore() ?? 0) ? 50 : 250_000),
});
const emit = server.emit.bind(server);
server.emit = (name: string, ...given: unknown[]) =>
  name === 'request'
    ? running.run(Number((given[0] as IncomingMessage).headers['x-caller']), () => emit(name, ...given))
    : emit(name, ...given);

const info = vi.spyOn(console, 'info').mockReturnValue();
vi.spyOn(console, 'warn').mockReturnValue();
let tokens: string[] = [];

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const sign = (caller: number) =>
    issuer.sign({ sub: `caller-${caller}`, ...(mayOnlyRead(caller) ? { scope: 'users:read' } : {}) });
  tokens = await Promise.all(CALLERS.map(sign));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await proxy.stop();
  await issuer.stop();
});
beforeEach(() => {
  arrived = new Set();
  all = Promise.withResolvers();
  holds = false;
  info.mockClear();
});

type Answer = {
  status: number;
  data?: Record<
    string,
    { id: string; name: string; email: string; user?: { id: string; email: string } } | null
  > | null;
  errors?: { message: string; extensions: { code: string } }[];
};

async function send(caller: number, query: string, variables: object = {}): Promise<Answer> {
  const { port } = server.address() as AddressInfo; // `address()` returns a string only for pipes.
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${tokens[caller]}`,
      'lambda-web-request-id': `request-${caller}`,
      'x-caller': String(caller),
    },
    body: JSON.stringify({ query, variables }),
  });
  return { status: response.status, ...((await response.json()) as Omit<Answer, 'status'>) };
}

const sendAll = (query: string, variables: (caller: number) => object) =>
  Promise.all(CALLERS.map((caller) => send(caller, query, variables(caller))));

type LogLine = { requestId: string; caller: string; status: number; requests: number; readUnits: number };
const readLog = () =>
  new Map(info.mock.calls.map(([line]) => line as LogLine).map((line) => [Number(line.requestId.slice(8)), line]));

const CREATE = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id name email } } }';
const READ = 'query ($email: String!) { userByEmail(email: $email) { id name email } }';
const AUTHOR = 'author@example.com';
const getEmail = (caller: number) => `caller-${caller}@example.com`;

test('40 concurrent callers with the same idempotency key each create a user, if their scopes allow it', async () => {
  // Do not wait for callers who may only read: their requests never reach the database.
  for (const caller of CALLERS.filter(mayOnlyRead)) arrived.add(caller);
  const answers = await sendAll(CREATE, (caller) => ({
    input: { name: `Caller ${caller}`, email: getEmail(caller), idempotencyKey: 'first' },
  }));
  const users = answers.map(({ data }) => data?.createUser?.user);
  expect(users.map((user) => user?.email)).toEqual(
    CALLERS.map((caller) => (mayOnlyRead(caller) ? undefined : getEmail(caller))),
  );
  expect(new Set(users.flatMap((user) => user?.id ?? [])).size).toBe(36);
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(4);
  expect([...readLog()].map(([caller, line]) => [caller, line.caller, line.status]).toSorted()).toEqual(
    CALLERS.map((caller) => [caller, `sub:caller-${caller}`, mayOnlyRead(caller) ? 403 : 200]).toSorted(),
  );
});

describe('of 40 requests at once', () => {
  const nested = 'posts { author { posts { author { id } } } }';
  const GREEDY = `query ($email: String!) { userByEmail(email: $email) { id } author: userByEmail(email: "${AUTHOR}") { ${nested} } }`;
  let outcomes: string[];
  let log: Map<number, LogLine>;
  beforeAll(async () => {
    // The nested lists of this author return more than 20,000 items.
    await createAuthor(0, 150);
    holds = true;
    // Do not wait for held callers: their requests may time out before they reach the database.
    arrived = new Set(CALLERS.filter(isHeld));
    all = Promise.withResolvers();
    info.mockClear();
    const answers = await Promise.all(
      CALLERS.map((caller) => send(caller, isGreedy(caller) ? GREEDY : READ, { email: getEmail(caller) })),
    );
    outcomes = answers.map(({ data, errors }) => errors?.[0]?.message ?? data?.userByEmail?.email ?? 'none');
    log = readLog();
  });

  const isPlain = (caller: number) => !isHeld(caller) && !isGreedy(caller);
  const readOutcomes = (callers: number[]) => callers.map((caller) => outcomes[caller]);
  const repeat = <Value>(callers: number[], value: Value) => callers.map(() => value);

  test('only delayed requests time out', () => {
    const held = CALLERS.filter(isHeld);
    expect(readOutcomes(held)).toEqual(repeat(held, 'The service is busy; please try again'));
  });

  test('only the expensive request exceeds its budget', () => {
    expect(readOutcomes(CALLERS.filter(isGreedy))).toEqual([
      expect.stringMatching(/^The operation returns more than 20000 items/),
    ]);
  });

  test('each of the others finds its own user', () => {
    const writers = CALLERS.filter((caller) => isPlain(caller) && !mayOnlyRead(caller));
    expect(readOutcomes(writers)).toEqual(writers.map(getEmail));
  });

  test('callers without a created user find none', () => {
    const readers = CALLERS.filter(mayOnlyRead);
    expect(readOutcomes(readers)).toEqual(repeat(readers, 'none'));
  });

  test('each has one log line, with its caller', () => {
    expect([...log].map(([caller, line]) => `${caller} ${line.caller}`).toSorted()).toEqual(
      CALLERS.map((caller) => `${caller} sub:caller-${caller}`).toSorted(),
    );
  });

  test('each log line counts the reads of one request', () => {
    // A request reads the claim of the address, then the user if there is one.
    const plain = CALLERS.filter(isPlain);
    const read = (caller: number) => ({ caller, ...pickReads(log.get(caller)) });
    expect(plain.map(read)).toEqual(
      plain.map((caller) => {
        const reads = mayOnlyRead(caller) ? 1 : 2;
        return { caller, requests: reads, readUnits: reads };
      }),
    );
  });
});

const pickReads = (line: LogLine | undefined) => ({ requests: line?.requests, readUnits: line?.readUnits });

async function createAuthor(caller: number, posts: number): Promise<void> {
  const { data } = await send(caller, CREATE, { input: { name: 'Author', email: AUTHOR } });
  const authorId = data?.createUser?.user?.id;
  const create = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id } } }';
  for (let start = 0; start < posts; start += 50)
    await Promise.all(
      Array.from({ length: 50 }, () => send(caller, create, { input: { authorId, title: 'On Engines' } })),
    );
}
