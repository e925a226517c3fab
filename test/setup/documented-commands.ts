import { spawnSync } from 'node:child_process';
import type { LocalService } from './local-service.ts';
import { findCodeBlocks } from './markdown.ts';

type Step = { command: string; output: string };

/** Reads commands, which start with `$ `, and the output after each. */
export const readSteps = (page: string): Step[] =>
  findCodeBlocks(page, 'console')
    .join('')
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = '', ...output] = step.split('\n');
      return { command, output: normalize(output.join('\n')) };
    });

/** Replaces ids, and drops the comments (":") that an open stream sends. */
function normalize(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/^:\n\n?/gm, '')
    .trim();
}

const END_OF_STEP = '<end of step>';

/** Returns the script of a step. The script closes a stream after the last documented line, or after 30 s. */
function toScript({ command, output }: Step, { url }: LocalService): string {
  const last = output.split('\n').at(-1);
  const run = command.includes('text/event-stream')
    ? `sed '/${last}/q' < <(timeout 30 ${command} 2>/dev/null)`
    : command;
  return `${run.replaceAll('localhost:3000', url)}\necho; echo '${END_OF_STEP}'\n`;
}

/** Runs the commands. Returns them with the actual output. */
export function runSteps(steps: Step[], service: LocalService): Step[] {
  const input = steps.map((step) => toScript(step, service)).join('');
  const { stdout } = spawnSync('bash', ['-s'], { input, encoding: 'utf8' });
  const printed = stdout.split(END_OF_STEP).map(normalize);
  return steps.map(({ command }, at) => ({ command, output: printed[at] ?? '' }));
}
