import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalService, startLocalService } from './setup/local-service.ts';

/** Each `$ ` line of a console block is a command; what follows is what it prints. */
const tour = [...readFileSync('README.md', 'utf8').matchAll(/^```console\n(?<text>.*?)^```$/gms)]
  .map(({ groups }) => groups?.text ?? '')
  .join('')
  .split(/^\$ /m)
  .slice(1)
  .map((step) => ({ command: step.slice(0, step.indexOf('\n')), shown: step.slice(step.indexOf('\n') + 1) }));

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService(['--memory']);
});
afterAll(() => service.stop());

const masked = (text: string) =>
  text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/\r/g, '')
    .trim();

const END = '<end of a step>';

test('the tour, pasted line by line, gives what the README shows', { timeout: 60_000 }, () => {
  execFileSync('curl', ['--version']);
  const script = tour
    .map(({ command }) => `${command.replaceAll('localhost:3000', service.url)}\necho; echo '${END}'\n`)
    .join('');
  const { stdout } = spawnSync('bash', ['-s'], { input: script, encoding: 'utf8' });
  const printed = stdout.split(END).map(masked);
  expect(tour.length).toBeGreaterThan(15);
  expect(tour.map(({ command }, at) => ({ command, prints: printed[at] }))).toEqual(
    tour.map(({ command, shown }) => ({ command, prints: masked(shown) })),
  );
});
