import { expect, test } from 'vitest';
import { formatDuration } from '../../../infra/transfer/duration.ts';

test('durations are readable', () => {
  expect([12.1, 600, 7200].map(formatDuration)).toEqual(['13 s', '10 min', '2.0 h']);
});
