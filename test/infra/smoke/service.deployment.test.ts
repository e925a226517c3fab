import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatFinding } from '../../../infra/scripts/points.ts';
import { checkUser, createAccessPoints, type Service } from '../../../infra/smoke/service.ts';
import { type Client, createClient } from '../../../lib/client/client.ts';
import { type LocalService, startLocalService } from '../../setup/local-service.ts';
import { newPerson } from '../../setup/test-data.ts';

let local: LocalService;
let client: Client;
beforeAll(async () => {
  local = await startLocalService();
  client = createClient({ baseUrl: local.url });
});
afterAll(() => local.stop());

type Faults = { fetch?: typeof fetch; signal?: AbortSignal; rejection?: 200 | 401 | 403 };

const createService = ({
  fetch = globalThis.fetch,
  signal = new AbortController().signal,
  rejection = 200,
}: Faults = {}) =>
  ({
    client: createClient({ baseUrl: local.url, fetch, retries: { maxAttempts: 1 } }),
    url: local.url,
    graphqlUrl: `${local.url}/graphql`,
    rejection,
    hasStreams: true,
    fetch,
    signal,
  }) satisfies Service;

/** Answers matching requests with an error. `isLost`: the service has received the request. */
const failOn =
  (pattern: RegExp, { isLost = false } = {}): typeof fetch =>
  async (input, init) => {
    if (!pattern.test(`${init?.method ?? 'GET'} ${input} ${init?.body ?? ''}`)) return fetch(input, init);
    if (isLost) await fetch(input, init);
    return Response.json({ error: { code: 'INTERNAL_ERROR', message: 'Broken' } }, { status: 500 });
  };

const visit = (service: Service, person = newPerson()) => Array.fromAsync(checkUser(service, person), formatFinding);

test('a user is created, changed while a stream is open, and deleted', async () => {
  const person = newPerson();
  expect(await visit(createService(), person)).toEqual([
    expect.stringMatching(/^ok {4}creation: /),
    'ok    stream: a subscription received the change',
    expect.stringMatching(/^ok {4}deletion: /),
  ]);
  expect(await client.users.find({ email: person.email })).toBeUndefined();
});

test.each<[string, RegExp, { isLost?: boolean }, string[]]>([
  ['a creation fails', /^POST .*"email"/, {}, ['FAILS user: The service answered 500']],
  ['the answer to a creation is lost', /^POST .*"email"/, { isLost: true }, ['FAILS user: The service answered 500']],
  [
    'a change fails',
    /^PATCH /,
    {},
    ['ok    creation', 'FAILS stream: no change arrived: The service answered 500', 'ok    deletion'],
  ],
  ['a stream fails', /subscription/, {}, ['ok    creation', 'FAILS stream', 'ok    deletion']],
  [
    'the answer to the deletion is lost',
    /^DELETE /,
    { isLost: true },
    ['ok    creation', 'ok    stream', 'FAILS user'],
  ],
])('no user is left if %s', async (_, pattern, options, lines) => {
  const person = newPerson();
  const stopped = new AbortController();
  const failing = failOn(pattern, options);
  // A stream that cannot be opened is retried until the signal.
  const send: typeof fetch = async (input, init) => {
    const response = await failing(input, init);
    if (String(pattern) === '/subscription/' && response.status === 500) stopped.abort();
    return response;
  };
  const found = await visit(createService({ fetch: send, signal: stopped.signal }), person);
  expect(found.slice(0, 2)).toEqual(lines.slice(0, 2).map((line) => expect.stringContaining(line)));
  expect(await client.users.find({ email: person.email })).toBeUndefined();
});

test('a signal stops the check, and the user is deleted', async () => {
  const person = newPerson();
  const stopped = new AbortController();
  const lines: string[] = [];
  for await (const finding of checkUser(createService({ signal: stopped.signal }), person)) {
    lines.push(formatFinding(finding));
    stopped.abort();
  }
  expect(lines).toEqual([
    expect.stringContaining('ok    creation'),
    'FAILS stream: no change arrived',
    expect.stringContaining('FAILS user: This operation was aborted'),
  ]);
  expect(await client.users.find({ email: person.email })).toBeUndefined();
});

test('a user that cannot be deleted is named', async () => {
  const person = newPerson();
  const lines = await visit(createService({ fetch: failOn(/^DELETE /) }), person);
  expect(lines.at(-1)).toBe(`FAILS cleanup: delete the user ${person.email} yourself`);
});

const check = (service: Service) =>
  Promise.all(createAccessPoints(service).map(async ({ name, check }) => formatFinding({ name, ...(await check()) })));

test.each<[string, Faults, string]>([
  ['an open service', {}, 'note  anonymous: everyone can read and change users'],
  [
    'a service that should require signatures',
    { rejection: 403 },
    'FAILS anonymous: REST answers 200 and GraphQL 200 without credentials; expected: 403',
  ],
  [
    'one open API',
    { rejection: 401, fetch: async (url) => new Response(null, { status: /graphql/.test(String(url)) ? 200 : 401 }) },
    'FAILS anonymous: REST answers 401 and GraphQL 200',
  ],
  [
    'two closed APIs',
    { rejection: 401, fetch: async () => new Response(null, { status: 401 }) },
    'ok    anonymous: both APIs reject requests without credentials with 401',
  ],
  ['rejected credentials', { fetch: async () => new Response(null, { status: 403 }) }, 'FAILS identity: '],
  ['accepted credentials', {}, 'ok    identity: REST counts '],
])('access of %s', async (_, faults, line) => {
  expect(await check(createService(faults))).toContainEqual(expect.stringContaining(line));
});
