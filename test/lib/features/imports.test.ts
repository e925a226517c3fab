import { globSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { expect, test } from 'vitest';

const FOLDER = join('lib', 'features');
const features = globSync(`${FOLDER}/*/`).map((path) => path.split(sep)[2] ?? '');

function listImported(feature: string): string[] {
  const files = globSync(`${FOLDER}/${feature}/**/*.ts`);
  const imported = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(?<path>\.[^']+)'/g)].map(({ groups }) =>
      join(dirname(file), groups?.path ?? ''),
    ),
  );
  const names = imported.filter((path) => path.startsWith(FOLDER)).map((path) => path.split(sep)[2] ?? '');
  return [...new Set(names)].filter((name) => name !== feature).toSorted();
}

/** Lists the features in the README's last paragraph ("Uses: …"). */
function listUsed(feature: string): string[] {
  const [, used = ''] = readFileSync(join(FOLDER, feature, 'README.md'), 'utf8').split(/^Uses: /m);
  return [...used.matchAll(/\]\(\.\.\/(?<name>[\w-]+)\)/g)].map(({ groups }) => groups?.name ?? '').toSorted();
}

test.each(features)('%s imports only the features that its README names', (feature) => {
  const used = listUsed(feature);
  expect(listImported(feature).filter((name) => !used.includes(name))).toEqual([]);
});

test('the features that a README names exist, and importing features are found', () => {
  expect(features.flatMap(listUsed).filter((name) => !features.includes(name))).toEqual([]);
  expect(features.flatMap(listImported)).toContain('change-log');
});
