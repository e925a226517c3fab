import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { text } from 'node:stream/consumers';
import { requireArgument, runCommand } from './command.ts';

const USAGE = `npm run -s map-stack -- FOLDER < stack.txt
Replaces the positions in a function's stack trace by positions in the source. FOLDER contains the code of the function
and its source map: the unzipped code from Lambda, or cdk.out/bundles/<function> of the same commit.`;

/** Matches positions such as file:///var/task/get-user.mjs:12:3456 */
const POSITION = /(?:file:\/\/)?\/[^\s()]*?([\w-]+)\.mjs:(\d+):(\d+)/g;

await runCommand({ options: {}, help: USAGE, failure: 'Not mapped' }, async ({ positionals }) => {
  const folder = requireArgument(positionals, 'one folder', USAGE);
  if (!existsSync(folder)) throw new Error(`Folder not found: ${folder}`);
  const stack = await text(process.stdin);
  const missing = new Set<string>();
  const mapped = mapStack(stack, (name) => {
    const file = `${folder}/${name}.mjs.map`;
    const map = readMap(file);
    if (!map) missing.add(file);
    return map;
  });
  process.stdout.write(mapped);
  for (const file of missing) console.error(`Source map not found: ${file}`);
});

function readMap(file: string): SourceMapPayload | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function mapStack(stack: string, read: (name: string) => SourceMapPayload | undefined): string {
  return stack.replace(POSITION, (position, name, line, column) => {
    const map = read(name);
    if (!map) return position;
    // Stack traces count from 1, source maps from 0.
    const origin = new SourceMap(map).findEntry(Number(line) - 1, Number(column) - 1);
    if (!('originalSource' in origin)) return position;
    const { originalSource, originalLine, originalColumn } = origin;
    return `${originalSource.replace(/^(\.\.\/)+/, '')}:${originalLine + 1}:${originalColumn + 1}`;
  });
}
