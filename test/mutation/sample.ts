import { globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createRandom } from '../simulation/random.ts';

const USAGE = `node test/mutation/sample.ts [--seed N] [--parts 60] PATTERN...
Prints random parts of the files, for --mutate. A part has no empty line, such as a function.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: `${Date.now()}` }, parts: { type: 'string', default: '60' } },
});
if (positionals.length === 0) throw new Error(USAGE);

const GENERATED = /resolver-types|document-types/;
const files = globSync(positionals).filter((file) => !GENERATED.test(file));
const random = createRandom(values.seed);
const parts = files
  .sort()
  .flatMap(listParts)
  .map((part) => ({ part, luck: random.next() }))
  .sort((a, b) => a.luck - b.luck)
  .slice(0, Number(values.parts));
console.error(`Seed ${values.seed}`);
console.log(parts.map(({ part }) => part).join(','));

/** Leaves out imports and types. */
function listParts(file: string): string[] {
  let line = 1;
  return readFileSync(file, 'utf8')
    .split('\n\n')
    .flatMap((text) => {
      const first = line;
      line += text.split('\n').length + 1;
      return /^(import|export type|type) /.test(text) ? [] : [`${file}:${first}-${line - 2}`];
    });
}
