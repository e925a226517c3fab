import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalService, startLocalService } from './setup/local-service.ts';
import { findCodeBlocks } from './setup/markdown.ts';

const README = readFileSync('README.md', 'utf8');

/** Each `$ ` line of a console block is a command; the lines after it are its output. */
const steps = findCodeBlocks(README, 'console')
  .join('')
  .split(/^\$ /m)
  .slice(1)
  .map((step) => {
    const [command = '', ...output] = step.split('\n');
    return { command, output: normalize(output.join('\n')) };
  });

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService(['--memory']);
});
afterAll(() => service.stop());

/** Ids differ on each run, and a stream sends comments (":") as long as it is open. */
function normalize(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/^:\n\n?/gm, '')
    .trim();
}

const END_OF_STEP = '<end of step>';

/** A stream has no end: it is closed when it has shown its last line, or after 30 s, when the comparison fails. */
function toScript({ command, output }: { command: string; output: string }): string {
  const last = output.split('\n').at(-1);
  const run = command.includes('text/event-stream')
    ? `sed '/${last}/q' < <(timeout 30 ${command} 2>/dev/null)`
    : command;
  return `${run.replaceAll('localhost:3000', service.url)}\necho; echo '${END_OF_STEP}'\n`;
}

test('the commands of the README print what it shows', () => {
  const { stdout } = spawnSync('bash', ['-s'], { input: steps.map(toScript).join(''), encoding: 'utf8' });
  const printed = stdout.split(END_OF_STEP).map(normalize);
  expect(steps.length).toBeGreaterThan(5);
  expect(steps.map(({ command }, at) => ({ command, output: printed[at] }))).toEqual(steps);
});
