import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/person-fields.json';
});

const { relink } = await import('../../../../infra/scripts/subjects.ts');
const { environment } = await import('../../../../lib/environment.ts');
const { createGraphqlContext } = await import('../../../../lib/graphql/context.ts');
const { subscribeToMe } = await import('../../../../lib/features/me/graphql-me.ts');
const { parsePerson } = await import('../../../../lib/features/me/person.ts');
const { findMe, getMe } = await import('../../../../lib/features/me/read.ts');
const { deleteMe } = await import('../../../../lib/features/me/delete.ts');
const { createMe, updateMe } = await import('../../../../lib/features/me/write.ts');
const { findStoredUser } = await import('../../../../lib/users/read.ts');
const { interrupt } = await import('../page-index/fixtures.ts');

const folder = mkdtempSync(join(tmpdir(), 'relink-'));
afterAll(() => rmSync(folder, { recursive: true }));

function writeFile(rows: string[]): string {
  const file = join(folder, 'subjects.csv');
  writeFileSync(file, `id,subject\n${rows.join('\n')}\n`);
  return file;
}

/** No wait: the test sets the clock to a time when the cached issuer has expired. */
const pause = async () => {};

const OLD = 'https://old.example.org';
const NEW = 'https://new.example.org';
const stop = new AbortController();
afterAll(() => stop.abort());
const createContext = ({ subject, issuer, email }: Person) =>
  createGraphqlContext({ caller: subject, claims: { sub: subject, iss: issuer, email } }, stop.signal);

type Person = ReturnType<typeof parsePerson>;
const person = (sub: string, iss = OLD): Person =>
  parsePerson({ sub, iss, email: `${sub}@example.org`, email_verified: true });

test('subjects of another issuer match no user until a relink stores the issuer', async () => {
  const [ada, bob, eve] = [person('ada'), person('bob'), person('eve')];
  const [{ id: adaId }, { id: bobId }] = [await createMe(ada, { name: 'Ada' }), await createMe(bob, { name: 'Bob' })];
  // Set the clock ahead by a minute, so that the cached issuer has expired. The new issuer's `ada` is another person.
  const now = Date.now();
  vi.spyOn(environment, 'now').mockImplementation(() => now + 61_000);
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const closed = { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 3_600 };
  await expect(findMe(person('ada', NEW))).rejects.toMatchObject(closed);
  await expect(createMe(person('new', NEW), { name: 'New' })).rejects.toMatchObject(closed);

  const rejected = [`${adaId},bob`, `${bobId},ümlaut`, 'x,free', `${bobId},new-bob`];
  expect(await relink(writeFile(rejected), { issuer: NEW, pause })).toEqual({
    changed: 2,
    unchanged: 0,
    failures: [
      { line: 3, reason: expect.stringContaining('printable ASCII') },
      { line: 4, reason: 'No user has the id x' },
    ],
  });
  await expect(findMe(person('new-bob', NEW))).rejects.toMatchObject(closed);

  const file = writeFile([`${adaId.toUpperCase()},bob`, `${bobId},new-bob`]);
  expect(await relink(file, { issuer: NEW, isDryRun: true, pause })).toEqual({
    changed: 0,
    unchanged: 2,
    failures: [],
  });
  await expect(findMe(person('new-bob', NEW))).rejects.toMatchObject(closed);
  expect(await relink(file, { issuer: NEW, pause })).toEqual({ changed: 0, unchanged: 2, failures: [] });
  vi.spyOn(environment, 'now').mockImplementation(() => now + 122_000);
  expect((await findMe(person('bob', NEW)))?.user.id).toBe(adaId);
  expect((await findMe(person('new-bob', NEW)))?.user.id).toBe(bobId);
  expect(await findMe(person('ada', NEW))).toBeUndefined();
  await expect(findMe(ada)).rejects.toMatchObject(closed);
  await expect(createMe(eve, { name: 'Eve' })).rejects.toMatchObject(closed);
});

test('the first record that is found also stores the issuer', async () => {
  const { deleteItems } = await import('../../../../lib/dynamodb/batch.ts');
  const { issuerKey } = await import('../../../../lib/features/me/keys.ts');
  const { createUser } = await import('../../../../lib/users/write.ts');
  await deleteItems([issuerKey]);
  let now = Date.now() + 300_000;
  vi.spyOn(environment, 'now').mockImplementation(() => now);
  const input = { name: 'Linked', email: 'linked@example.org', sub: 'linked' };
  const { user } = await createUser(input, 'system');
  expect(await findMe(person('nobody', NEW))).toBeUndefined();
  now += 61_000;
  expect((await findMe(person('linked')))?.user.id).toBe(user.id);
  now += 61_000;
  await expect(findMe(person('linked', NEW))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await relink(writeFile([]), { issuer: NEW, pause });
  now += 61_000;
});

test('two users who swap subjects are reported, and nothing is lost', async () => {
  const [{ id: one }, { id: two }] = [
    await createMe(person('one', NEW), { name: 'One' }),
    await createMe(person('two', NEW), { name: 'Two' }),
  ];
  const { changed, failures } = await relink(writeFile([`${one},two`, `${two},one`]), { issuer: NEW, pause });
  expect([changed, failures.map(({ line }) => line)]).toEqual([0, [2, 3]]);
  expect((await findMe(person('one', NEW)))?.user.id).toBe(one);
});

test('a deployment whose issuer is stored second is rejected, and links nobody', async () => {
  const { deleteItems, putItems } = await import('../../../../lib/dynamodb/batch.ts');
  const { issuerKey } = await import('../../../../lib/features/me/keys.ts');
  await deleteItems([issuerKey]);
  const now = Date.now() + 900_000;
  vi.spyOn(environment, 'now').mockImplementation(() => now);
  const late = person('late', NEW);
  // Caches that no issuer is stored. Then another deployment stores its own.
  expect(await findMe(late)).toBeUndefined();
  await putItems([{ ...issuerKey, issuer: OLD }]);
  await expect(createMe(late, { name: 'Late' })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await findMe(late)).toBeUndefined();
});

test('a second row with the same id fails, instead of replacing the subject of the first', async () => {
  const { id } = await createMe(person('carol'), { name: 'Carol' });
  const file = writeFile([`${id},first-carol`, `${id.toUpperCase()},second-carol`]);
  expect(await relink(file, { issuer: NEW, pause })).toEqual({
    changed: 1,
    unchanged: 0,
    failures: [{ line: 3, reason: 'Line 2 has the same id' }],
  });
});

test('of two relinks at once, one changes the subject and the other finds it unchanged', async () => {
  const { id } = await createMe(person('dora'), { name: 'Dora' });
  const file = writeFile([`${id},new-dora`]);
  const results = await Promise.all([relink(file, { issuer: NEW, pause }), relink(file, { issuer: NEW, pause })]);
  expect(results).toEqual(
    expect.arrayContaining([
      { changed: 1, unchanged: 0, failures: [] },
      { changed: 0, unchanged: 1, failures: [] },
    ]),
  );
});

test.each([
  ['GET', (ada: Person) => getMe(ada, {}), ['NOT_FOUND']],
  ['PATCH', (ada: Person) => updateMe(ada, { name: 'Ada King' }, {}), ['NOT_FOUND', 'SERVICE_UNAVAILABLE']],
  ['meChanged', (ada: Person) => subscribeToMe({}, {}, createContext(ada)), ['NOT_FOUND']],
  ['DELETE', (ada: Person) => deleteMe(ada, {}), ['NOT_FOUND', 'SERVICE_UNAVAILABLE']],
] as const)(
  'a %s reaches no record that a relink has given to another person meanwhile',
  async (method, run, codes) => {
    await relink(writeFile([]), { issuer: NEW, pause });
    const now = Date.now() + 1_800_000;
    vi.spyOn(environment, 'now').mockImplementation(() => now);
    const outcomes: string[] = [];
    for (let moment = 0; ; moment++) {
      const ada = person(`${method}-ada-${moment}`, NEW);
      const { id } = await createMe(ada, { name: 'Ada' });
      const file = writeFile([`${id},${method}-bob-${moment}`]);
      const result = { code: 'done' };
      const attempt = () =>
        run(ada).then(
          () => {},
          ({ code }) => Object.assign(result, { code }),
        );
      if (!(await interrupt(attempt, moment, () => relink(file, { issuer: NEW, pause })))) break;
      expect((await findStoredUser(id))?.user).toMatchObject({ name: 'Ada', by: 'system', version: 2 });
      outcomes.push(result.code);
    }
    expect(new Set(outcomes)).toEqual(new Set(codes));
  },
);
