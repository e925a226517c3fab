import { expect, test } from 'vitest';
import {
  decodeLogCursor,
  encodeLogCursor,
  isSince,
  moveCursor,
  resolveAfter,
} from '../../../../lib/features/change-log/cursor.ts';
import { parseChangeEntry } from '../../../../lib/features/change-log/entry.ts';
import {
  allUsers,
  formatPosition,
  postsTopic,
  type Topic,
  userTopic,
} from '../../../../lib/features/change-log/topics.ts';

const DAY_MS = 24 * 3_600_000;
const now = Date.now();

const forge = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
const forgeFor = ({ name }: Topic, watermark: string, offset: unknown = 0) => forge([name, 0, now, watermark, offset]);

test.each([allUsers, userTopic(crypto.randomUUID()), postsTopic(crypto.randomUUID())])(
  'a cursor of $name has at most 300 characters and decodes to its content',
  (topic) => {
    const cursor = {
      since: now - 1,
      at: now,
      watermark: formatPosition(topic.isOrderLog ? now : '9'.repeat(40)),
      offset: 49,
    };
    const text = encodeLogCursor(topic, cursor);
    expect(text.length).toBeLessThanOrEqual(300);
    expect(decodeLogCursor(topic, text)).toEqual(cursor);
  },
);

test.each([
  ['text that is no cursor', 'nonsense'],
  ['JSON of another form', forge([])],
  ['a position that is no number', forgeFor(userTopic('x'), 'z'.repeat(40))],
  ['a position that is too long', forgeFor(userTopic('x'), '1'.repeat(41))],
  ['a negative index within an entry', forgeFor(userTopic('x'), formatPosition(1), -1)],
  ['an index beyond the largest entry', forgeFor(userTopic('x'), formatPosition(1), 101)],
  ['a valid cursor followed by 300 bytes', `${forgeFor(userTopic('x'), formatPosition(1))}${'='.repeat(300)}`],
  ['a cursor of another user', forgeFor(userTopic('y'), formatPosition(1))],
])('userChanged(id) rejects %s', (_, text) => {
  expect(() => decodeLogCursor(userTopic('x'), text)).toThrow('must be a cursor of these changes');
});

test('userChanged rejects a forged cursor past the end of the log', async () => {
  const forged = forgeFor(allUsers, formatPosition(now + DAY_MS));
  await expect(resolveAfter(allUsers, forged)).rejects.toThrow('must be a cursor of these changes');
});

test.each([
  ['time', new Date(now - DAY_MS - 60_000).toISOString()],
  ['cursor', forge([allUsers.name, 0, now - DAY_MS - 60_000, formatPosition(now), 0])],
])('a %s of more than 24 hours ago is rejected with a hint what to do', async (_, text) => {
  await expect(resolveAfter(allUsers, text)).rejects.toThrow(
    /kept for 24 hours; subscribe without after, then refetch/,
  );
});

test.each([9 * 60_000, -1_000])('a time %i ms ahead, by the clock of a client, counts as at most now', async (ms) => {
  const time = Date.now() + ms;
  for (const text of [new Date(time).toISOString(), new Date(time).toISOString().toLowerCase()]) {
    const { since } = await resolveAfter(allUsers, text);
    expect(since).toBeLessThanOrEqual(Date.now());
    expect(since).toBeGreaterThanOrEqual(Math.min(time, now));
  }
});

test.each(['9999-12-31T23:59:59Z', '9999-12-31t23:59:59z', new Date(now + 11 * 60_000).toISOString()])(
  'the time %s in the future is rejected',
  async (text) => {
    await expect(resolveAfter(allUsers, text)).rejects.toThrow("after: is in the future: the service's time is ");
  },
);

const SECOND = Math.floor(now / 1000 - 60) * 1000;

test.each([
  ['a second ago, by a clock 5 seconds ahead', { at: SECOND + 5_000, streamedAt: SECOND - 1_000 }, true],
  ['later in the second of the start', { at: SECOND + 900, streamedAt: SECOND }, true],
  ['earlier, with an imported time in the future', { at: SECOND + DAY_MS, streamedAt: SECOND - 65_000 }, false],
  ['later, with an imported time in the past', { at: SECOND - DAY_MS, streamedAt: SECOND + 1_000 }, true],
])('a change %s is part of the subscription: %j is %s', (_, { at, streamedAt }, isPart) => {
  const [sk, kind, id] = [formatPosition(1), 'CREATED', 'x'];
  const pk = `CHANGES#${userTopic(id).name}`;
  const change = parseChangeEntry({ pk, sk, kind, id, at: new Date(at).toISOString(), streamedAt });
  expect(isSince({ since: SECOND + 500, at: SECOND, watermark: sk, offset: 0 }, change)).toBe(isPart);
});

test('the cursor of a change expires although the imported user has a time in the future', async () => {
  const position = { watermark: formatPosition(1), offset: 0 };
  const change = parseChangeEntry({
    ...{ pk: `CHANGES#${userTopic('x').name}`, sk: position.watermark, kind: 'CREATED', id: 'x' },
    ...{ at: '2099-12-31T00:00:00.000Z', streamedAt: now - DAY_MS - 60_000 },
  });
  const cursor = moveCursor({ since: 0, at: now, ...position }, { change, position });
  await expect(resolveAfter(userTopic('x'), encodeLogCursor(userTopic('x'), cursor))).rejects.toThrow('is too old');
});
