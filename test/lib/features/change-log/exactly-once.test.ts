import fc from 'fast-check';
import { afterAll, expect, test, vi } from 'vitest';
import { countRuns } from '../../../setup/seed.ts';
import type { WriteFault } from './client-faults.ts';
import { ChangeLogModel, type Step } from './model.ts';

const consoleWarn = vi.spyOn(console, 'warn').mockReturnValue();
afterAll(() => consoleWarn.mockRestore());

const shard = fc.nat({ max: 1 });
const reader = fc.nat({ max: 1 });
const fault = fc.constantFrom<WriteFault>('none', 'request lost', 'answer lost', 'stalled');
const users = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 });

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('change'), users, skewMs: fc.integer({ min: -5_000, max: 5_000 }) }),
  fc.record({
    do: fc.constant('deliver'),
    shard,
    size: fc.integer({ min: 1, max: 8 }),
    fault,
    after: fc.nat({ max: 5 }),
  }),
  fc.record({ do: fc.constant('poll'), reader, hidden: fc.array(fc.nat({ max: 2 }), { maxLength: 2 }) }),
  fc.record({
    do: fc.constant('page'),
    limit: fc.integer({ min: 1, max: 4 }),
    hidden: fc.array(fc.nat({ max: 2 }), { maxLength: 2 }),
  }),
  fc.record({ do: fc.constant('reconnect'), reader, back: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ do: fc.constant('arrive') }),
);

test('each change is logged and read once, in order, although requests are lost, late, repeated or not yet visible', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      using model = new ChangeLogModel();
      await model.start();
      for (const each of steps) await model.run(each);
      await model.settle();
      expect(model.received).toEqual([model.expected, model.expected, model.expected]);
      expect(await model.readUserLogs()).toEqual(model.expected);
    }),
    { numRuns: countRuns(20) },
  );
});
