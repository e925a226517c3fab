import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test, vi } from 'vitest';
import { putItems } from '../../../../lib/dynamodb/batch.ts';
import { DIRECTORY, userKey } from '../../../../lib/dynamodb/keys.ts';
import { parseChangeEntry } from '../../../../lib/features/change-log/entry.ts';
import { readStoredEntries } from '../../../../lib/features/change-log/read.ts';
import { findTopic, MIN_POSITION } from '../../../../lib/features/change-log/topics.ts';
import { createCloudEvent } from '../../../../lib/features/events/cloud-event.ts';
import { responseFormats } from '../../../../lib/rest/responses.ts';
import { findUser } from '../../../../lib/users/read.ts';
import { parseLinks } from '../../../setup/links.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { fetchData } from '../../graphql/client.ts';
import { findItem, logChange } from '../../on-change/log-write.ts';
import { bare, parseError, type Response } from '../../rest/client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/odd-own-fields.json';
});

const read = ({ json }: Response) => json as Record<string, unknown>;
const readList = ({ json }: Response) => json as Record<string, unknown>[];
const create = async (fields: object) => read(await bare.create({ ...newPerson(), ...fields }));

/** Writes a user with `fields`, without validation. */
async function putUser(fields: object): Promise<string> {
  const id = uuidv7();
  const time = new Date().toISOString();
  const times = { createdAt: time, updatedAt: time };
  await putItems([{ ...userKey(id), directory: DIRECTORY, ...newPerson(), fields, version: 1, ...times }]);
  return id;
}

describe('the value of a unique field', () => {
  // A text of characters that have 4 bytes each, but 12 in NFC.
  const wide = '\u{1d160}'.repeat(256);

  test('returns 400 if it exceeds the key after normalization, and finds no user', async () => {
    const response = await bare.create({ ...newPerson(), label: wide });
    expect(response.status).toBe(400);
    const message = 'must have at most 960 bytes after Unicode normalization';
    expect(parseError(response).issues).toEqual([{ path: ['label'], message }]);
    expect(readList(await bare.list({ label: wide }))).toEqual([]);
    // A lone surrogate finds no user either: DynamoDB rejects it in keys.
    for (const label of [wide, 'a\ud800'])
      expect(await fetchData('query ($label: String!) { userByLabel(label: $label) { id } }', { label })).toEqual({
        userByLabel: null,
      });
  });

  test('may have 256 characters, and links to the list repeat it', async () => {
    const label = 'x'.repeat(256);
    const user = await create({ label });
    const response = await bare.list({ label });
    expect(readList(response)).toEqual([user]);
    expect(parseLinks(response).first?.query).toMatchObject({ label });
  });

  test('may have 240 characters of four bytes', async () => {
    const label = '🦊'.repeat(240);
    const user = await create({ label });
    expect(readList(await bare.list({ label }))).toEqual([user]);
  });

  test('is found by every JSON spelling of its number only', async () => {
    const [zero, seven] = [await create({ length: 0 }), await create({ length: 7 })];
    for (const length of ['0', '-0', '0.0', '0e5']) expect(readList(await bare.list({ length }))).toEqual([zero]);
    for (const length of ['7', '7.0', '0.7e1']) expect(readList(await bare.list({ length }))).toEqual([seven]);
    for (const length of ['', ' ', '0x0', '00', '007', '+7', '7px', 'NaN', '1e999', '٧'])
      expect(readList(await bare.list({ length }))).toEqual([]);
  });

  test('is found by its time with any offset, but by no other date text', async () => {
    const user = await create({ seenAt: '2026-01-01T00:00:00Z' });
    const sameTimes = ['2026-01-01T02:00:00+02:00', '2026-01-01T02:00:00.000 02:00', '2026-01-01t00:00:00z'];
    for (const seenAt of ['2026-01-01T00:00:00Z', ...sameTimes])
      expect(readList(await bare.list({ seenAt }))).toEqual([user]);
    for (const seenAt of ['2026', '2026-01-01', 'Jan 1 2026 UTC', '1767225600000'])
      expect(readList(await bare.list({ seenAt }))).toEqual([]);
  });

  test('with a pattern is found only with its spaces', async () => {
    const [without, withSpace] = [await create({ code: 'ada' }), await create({ code: ' ada' })];
    expect(readList(await bare.list({ code: 'ada' }))).toEqual([without]);
    expect(readList(await bare.list({ code: ' ada' }))).toEqual([withSpace]);
  });

  test('is omitted from links if it is too long', async () => {
    const response = await bare.list({ label: '🦊'.repeat(600) });
    expect(readList(response)).toEqual([]);
    expect(String(response.headers.link).length).toBeLessThan(1_000);
  });
});

test.each([
  ['yesterday', 'Monday'],
  ['2026-11-31T00:00:00.000Z', '2026-11-31'],
  ['0000-12-31T00:00:00.000Z', '0000-12-31'],
  ['2026-01-31T12:00:00+02:00', '20260131'],
])(
  'stored values of another type, such as %s and %s, are not returned and cause no GraphQL errors',
  async (seenAt, day) => {
    const id = await putUser({ seenAt, day, level: 2 ** 40, length: 1.5 });
    expect(read(await bare.get(id))).toEqual({ id, name: expect.anything(), email: expect.anything(), level: 1 });
    const query = 'query ($id: ID!) { user(id: $id) { seenAt day level length } }';
    expect(await fetchData(query, { id })).toEqual({ user: { seenAt: null, day: null, level: 1, length: null } });
  },
);

describe('a list of large users', () => {
  /** Lambda's limit of a response, which has the body as an escaped JSON string. */
  const MAX_BYTES = 6_000_000;
  test('continues after the cursor of the last user that fits', async () => {
    const id = await putUser({ note: `"${'🦊'.repeat(1499)}` });
    const user = await findUser(id);
    const users = Array.from({ length: 1_000 }, () => user ?? expect.fail());
    const cursors = users.map((_, at) => `cursor-${at}`);
    const [format] = responseFormats;
    const { body, headers } = format?.renderList({ users, cursors }, { limit: 1_000, order: 'asc' }) ?? {};
    const { data } = body as { data: object[] };
    expect(data.length).toBeLessThan(1_000);
    expect(headers?.links?.[0]?.query.after).toBe(`cursor-${data.length - 1}`);
  });

  test('is shortened even if it has few users, because a default may exceed the size limit of stored values', async () => {
    const id = await putUser({});
    const user = { ...((await findUser(id)) ?? expect.fail()), own: { note: '🦊'.repeat(7_900) } };
    const users = Array.from({ length: 200 }, () => user);
    const [format] = responseFormats;
    const { body } = format?.renderList({ users }, { limit: 1_000, order: 'asc' }) ?? {};
    expect(Buffer.byteLength(JSON.stringify(JSON.stringify(body)))).toBeLessThan(MAX_BYTES);
  });
});

test('values that are too large together return 400 with the largest sent field', async () => {
  const words = Array.from({ length: 8 }, () => '語'.repeat(256));
  const response = await bare.create({ ...newPerson(), note: '語'.repeat(1_000), words });
  expect(response.status).toBe(400);
  const message = 'takes 6169 bytes: all own fields of a user together must have at most 8192 bytes';
  expect(parseError(response).issues).toEqual([{ path: ['words'], message }]);
  const { id } = (await create({ words })) as { id: string };
  const changed = await bare.update(id, { note: '語'.repeat(1_000) });
  expect(parseError(changed).issues?.[0]?.path).toEqual(['note']);
});

/** DynamoDB's limit of an item, and EventBridge's limit of an event until January 2026. */
const [MAX_ITEM_BYTES, MAX_EVENT_BYTES] = [400_000, 256_000];

test('the largest user, its log entry with both versions, and its event stay far below the limits of AWS', async () => {
  const person = (letter: string) => ({ name: letter.repeat(256), email: newPerson().email });
  const values = (letter: string, label: string) => ({
    ...{
      label: label.repeat(240),
      note: letter.repeat(1_500),
      words: Array.from({ length: 6 }, () => label.repeat(37)),
    },
    ...{ code: 'a'.repeat(256), length: 2 ** 31 - 1, level: 2 ** 31 - 1 },
  });
  const { id } = await create({ ...person('🦊'), ...values('🦊', '李') });
  const key = userKey(String(id));
  const before = await findItem(key);
  const replaced = await bare.replace(String(id), { ...person('🦉'), ...values('🦉', '雷'), code: 'b'.repeat(256) });
  expect(replaced.status).toBe(200);
  const stored = await findItem(key);
  await logChange(before, stored);
  const [entry = expect.fail()] = await Array.fromAsync(readStoredEntries(findTopic(String(id)), MIN_POSITION));
  const event = createCloudEvent(parseChangeEntry(entry));
  const [user, logged, sent] = [stored, entry, event].map((each) => Buffer.byteLength(JSON.stringify(each)));
  expect(user).toBeGreaterThan(9_000);
  expect(user).toBeLessThan(MAX_ITEM_BYTES / 4);
  expect(logged).toBeGreaterThan(18_000);
  expect(logged).toBeLessThan(MAX_ITEM_BYTES / 4);
  expect(sent).toBeGreaterThan(18_000);
  expect(sent).toBeLessThan(MAX_EVENT_BYTES / 4);
});
