import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '../../../lib/change-log/cursor.ts';
import {
  allUsers,
  findStart,
  formatPosition,
  postsTopic,
  type Topic,
  userTopic,
} from '../../../lib/change-log/topics.ts';

const DAY_MS = 24 * 3_600_000;
const now = Date.now();

const forge = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
const forgeFor = ({ name }: Topic, watermark: string, offset: unknown = 0) => forge([name, 0, now, watermark, offset]);

test.each([allUsers, userTopic(crypto.randomUUID()), postsTopic(crypto.randomUUID())])(
  'a cursor of $name is at most 300 characters long and decodes to what it was made of',
  (topic) => {
    const cursor = {
      since: now - 1,
      at: now,
      watermark: formatPosition(topic.hasPredecessors ? now : '9'.repeat(40)),
      offset: 49,
    };
    const text = encodeCursor(topic, cursor);
    expect(text.length).toBeLessThanOrEqual(300);
    expect(decodeCursor(topic, text)).toEqual(cursor);
  },
);

test.each([
  ['text that is no cursor', 'nonsense'],
  ['JSON of another form', forge([])],
  ['a position that is no number', forgeFor(userTopic('x'), 'z'.repeat(40))],
  ['a position that is too long', forgeFor(userTopic('x'), '1'.repeat(41))],
  ['a negative index within an entry', forgeFor(userTopic('x'), formatPosition(1), -1)],
  ['an index beyond the largest entry', forgeFor(userTopic('x'), formatPosition(1), 51)],
  ['a valid cursor followed by 300 bytes', `${forgeFor(userTopic('x'), formatPosition(1))}${'='.repeat(300)}`],
  ['a cursor of another user', forgeFor(userTopic('y'), formatPosition(1))],
])('userChanged(id) rejects %s', (_, text) => {
  expect(() => decodeCursor(userTopic('x'), text)).toThrow('must be a cursor of this subscription');
});

test.each([
  ['before all changes that are kept', findStart(allUsers, now - DAY_MS - 60_000)],
  ['a day ahead', formatPosition(now + DAY_MS)],
])('userChanged rejects a forged cursor with a position %s', (_, watermark) => {
  expect(() => decodeCursor(allUsers, forgeFor(allUsers, watermark))).toThrow('must be a cursor of this subscription');
});

test.each([
  ['time', new Date(now - DAY_MS - 60_000).toISOString()],
  ['cursor', forge([allUsers.name, 0, now - DAY_MS - 60_000, formatPosition(now), 0])],
])('a %s of more than 24 hours ago is rejected with what to do', (_, text) => {
  expect(() => decodeCursor(allUsers, text)).toThrow(/kept for 24 hours; refetch/);
});

test('a time in the future counts as now', () => {
  expect(decodeCursor(allUsers, '9999-12-31T23:59:59Z').since).toBeLessThanOrEqual(Date.now());
});
