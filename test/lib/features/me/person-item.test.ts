import { afterEach, expect, test, vi } from 'vitest';
import { getItems, putItems } from '../../../../lib/dynamodb/batch.ts';
import { transact } from '../../../../lib/dynamodb/transact.ts';
import { environment } from '../../../../lib/environment.ts';
import { personKey } from '../../../../lib/features/me/keys.ts';
import { countDownload, countWrite, notDeletedGuard } from '../../../../lib/features/me/person-item.ts';
import { interrupt } from '../page-index/fixtures.ts';

const HOUR_SECONDS = 3600;
const START = 500_000 * HOUR_SECONDS;
const setClock = (seconds: number) => vi.spyOn(environment, 'now').mockReturnValue(seconds * 1000);

afterEach(() => void vi.restoreAllMocks());

const newSubject = () => crypto.randomUUID();
const read = async (subject: string) => (await getItems([personKey(subject)], { ConsistentRead: true }))[0];
const countWrites = async (subject: string, count: number) => {
  for (let at = 0; at < count; at++) await countWrite(subject);
};

test('of two first writes of an hour that overlap at any moment, both count', async () => {
  setClock(START);
  for (let moment = 0; ; moment++) {
    const subject = newSubject();
    const write = () => countWrite(subject);
    if (!(await interrupt(write, moment, write))) break;
    expect(await read(subject)).toMatchObject({ writes: 2 });
  }
});

test('an environment whose clock is behind counts into the later hour, up to the same limit', async () => {
  const subject = newSubject();
  setClock(START + HOUR_SECONDS);
  await countWrites(subject, 59);
  setClock(START + HOUR_SECONDS - 1);
  await countWrite(subject);
  expect(await read(subject)).toMatchObject({ writes: 60 });
  await expect(countWrite(subject)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 1 });
});

test('a deletion while a write starts an hour is remembered for its day', async () => {
  setClock(START);
  const deletedUntil = START + 24 * HOUR_SECONDS;
  for (let moment = 0; ; moment++) {
    const subject = newSubject();
    const remove = () => putItems([{ ...personKey(subject), deletedUntil, expiresAt: deletedUntil }]);
    if (!(await interrupt(() => countWrite(subject), moment, remove))) break;
    expect(await read(subject)).toMatchObject({ deletedUntil, expiresAt: deletedUntil, writes: 1 });
  }
});

test('an hour of writes shortens neither the day of downloads nor their limit', async () => {
  const subject = newSubject();
  const day = 24 * HOUR_SECONDS;
  const start = Math.ceil(START / day) * day;
  setClock(start);
  for (let count = 1; count <= 3; count++) {
    await countDownload(subject);
    await countWrite(subject);
    expect(await read(subject)).toMatchObject({ downloads: count, writes: count, expiresAt: start + day });
  }
  await expect(countDownload(subject)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfterSeconds: day });
});

test('a deletion is remembered until exactly its end', async () => {
  const subject = newSubject();
  await putItems([{ ...personKey(subject), deletedUntil: START }]);
  const isRemembered = async () => (await transact({ check: notDeletedGuard(subject).item })).failures !== undefined;
  setClock(START - 1);
  expect(await isRemembered()).toBe(true);
  setClock(START);
  expect(await isRemembered()).toBe(false);
});
