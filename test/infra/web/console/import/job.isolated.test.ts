import '../browser-globals.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import { setRenewal, setToken } from '../../../../../infra/web/console/auth/access-token.ts';

type Answer = (body: { variables: { input: { users: { email: string }[] } } }, token: string | null) => Response;

const createAll: Answer = ({ variables }) =>
  Response.json({
    data: {
      createUsers: {
        results: variables.input.users.map(({ email }) => ({
          user: { id: email, createdAt: '2999-01-01T00:00:00.000Z' },
          error: null,
        })),
      },
    },
  });

let answer: Answer;
vi.stubGlobal('fetch', async (_url: string, { body, headers }: { body: string; headers: Headers }) =>
  answer(JSON.parse(body), headers.get('authorization')),
);

// The API client takes the global `fetch` on import.
const { jobs } = await import('../../../../../infra/web/console/jobs.ts');
const { startImport } = await import('../../../../../infra/web/console/import/job.ts');
const { importing, startAgain } = await import('../../../../../infra/web/console/import/state.ts');

const importRows = (count: number) => {
  const rows = Array.from({ length: count }, (_, at) => `Person ${at},person.${at}@example.org\n`);
  const file = new File(['name,email\n', ...rows], 'users.csv');
  return startImport({ source: { file, text: {} }, options: {}, updates: false, total: count });
};
const readImport = () => {
  const { step } = importing.get();
  return step.name === 'import' ? step : undefined;
};
const readLines = async (parts: BlobPart[]) => (await new Blob(parts).text()).trimEnd().split('\n');

beforeEach(() => {
  startAgain();
  setToken('first');
});

test('an import continues its log after its token was rejected and renewed', async () => {
  let requests = 0;
  setRenewal(async () => {
    setToken('second');
    return true;
  });
  answer = (body, token) => {
    requests++;
    return token === 'Bearer first' && requests > 3 ? new Response(null, { status: 401 }) : createAll(body, token);
  };
  await importRows(500);
  const { current, ended } = readImport() ?? expect.unreachable();
  expect(ended).toMatchObject({ status: 'done', part: 1, done: 500 });
  expect(current.results.counts).toMatchObject({ created: 500, invalid: 0 });
  const results = (await readLines(current.results.listParts())).map((line) => JSON.parse(line));
  expect(results).toMatchObject(Array.from({ length: 500 }, (_, at) => ({ line: at + 2, result: 'created' })));
});

test('an import that fails while paused can be continued', async () => {
  answer = () => {
    jobs.get()[0]?.pause();
    const errors = [{ message: 'A mutation requires the scope users:write', extensions: { code: 'FORBIDDEN' } }];
    return Response.json({ errors }, { status: 403 });
  };
  // Ten rows need one request. Further requests would wait for the end of the pause.
  const ending = importRows(10);
  await expect.poll(() => jobs.get()[0]?.error).toContain('users:write');
  expect(jobs.get()).toMatchObject([{ status: 'failed' }]);
  answer = createAll;
  jobs.get()[0]?.resume();
  await ending;
  expect(readImport()).toMatchObject({
    current: { results: { counts: { created: 10 } } },
    ended: { status: 'done', error: undefined },
  });
});
