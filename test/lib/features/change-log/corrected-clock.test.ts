import { afterEach, expect, test } from 'vitest';
import { environment } from '../../../../lib/environment.ts';
import { allUsers, userTopic } from '../../../../lib/features/change-log/topics.ts';
import { append, newChange, startSubscriber } from './changes.ts';

const HOUR_MS = 3_600_000;
const { now } = environment;
const stop = new AbortController();
afterEach(() => {
  environment.now = now;
});

const newChangeNow = (id: string) => {
  const streamedAt = environment.now();
  return newChange(id, { streamedAt, at: new Date(streamedAt).toISOString() });
};

// The test needs an empty log: the number of its first entry is the time, here of a clock that is an hour fast.
test.each([allUsers, userTopic('ada')])(
  'after the clock is set back, a subscription of $name continues and resumes from its cursors',
  async (topic) => {
    environment.now = () => now() + HOUR_MS;
    const subscriber = await startSubscriber(topic, stop.signal);
    await append([newChangeNow('ada')]);
    const { cursor } = await subscriber.next();
    environment.now = now;
    const change = newChangeNow('ada');
    await append([change]);
    expect(await subscriber.next()).toMatchObject({ at: change.at });
    const resumed = await startSubscriber(topic, stop.signal, cursor);
    expect(await resumed.next()).toMatchObject({ at: change.at });
  },
);
