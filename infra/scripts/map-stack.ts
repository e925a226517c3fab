import { existsSync, readFileSync } from 'node:fs';
import type { SourceMapPayload } from 'node:module';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { mapStack } from './source-positions.ts';

const USAGE = `npm run -s map-stack -- FOLDER < stack.txt
Replaces the positions in a stack trace of a function by those in the source. FOLDER contains the code of the function
and its source map: the unzipped code from Lambda, or cdk.out/bundles/<function> of the same commit.`;

try {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [folder] = positionals;
  if (!folder || !existsSync(folder)) throw new Error(folder ? `There is no folder ${folder}` : `Usage: ${USAGE}`);
  const stack = await text(process.stdin);
  process.stdout.write(mapStack(stack, (name) => readMap(`${folder}/${name}.mjs.map`)));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

function readMap(file: string): SourceMapPayload | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
