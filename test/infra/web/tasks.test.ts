import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Effort } from '../../browser/task-recorder.ts';

const recorded: Record<string, Effort | null> = JSON.parse(readFileSync('test/browser/support-tasks.json', 'utf8'));

test('the page of thirty tasks has the recorded clicks, keys and seconds', () => {
  const rows = readFileSync('infra/web/tasks.md', 'utf8').matchAll(/^\| ([A-Z][^|]+) \| ([^|]+) \|/gm);
  const format = (effort: Effort | null) => (effort ? `${effort.clicks} / ${effort.keys} / ${effort.seconds}` : '–');
  expect([...rows].map(([, task, cell]) => [task, cell])).toEqual(
    Object.entries(recorded).map(([task, effort]) => [task, format(effort)]),
  );
});
