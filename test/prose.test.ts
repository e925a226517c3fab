import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import budgets from './prose-budgets.json' with { type: 'json' };

// Sentences with these patterns often need decoding. A good sentence may match one, so each folder has a budget, which may only fall.

const PATTERNS = [
  /^(it|they|this|these|those|that|he|she|what|who|so)\b/i,
  /\bso (many|much|long|few)\b/i,
  /\bwhat (is|was|it|they|an?|the|no|has|have|others)\b/i,
  /\b(that|those|ones?) (of|that|whose|which)\b/i,
  /\b(whose|whom|tells?|stands?|nobody|anybody|everybody|whoever)\b/i,
  /\b(is|are|was|were|be) no (?!longer|more than|one\b)[a-z]/i,
  /^(of|beside|without|where|with|from|by) [^,]{1,60},/i,
  /(?:\S+\s+){28}\S/,
];

const FILES = /^(?!CHANGELOG|.*(?:\.d\.ts|-types\.ts)$).*\.(tsx?|mjs|md)$/;

const FOLDERS = ['lib/features', 'lib', 'functions', 'infra/construct', 'infra/web', 'infra', 'test'];

const findFolder = (file: string) =>
  file.endsWith('.md') ? 'pages' : (FOLDERS.find((folder) => file.startsWith(`${folder}/`)) ?? 'root');

function findComments(source: string): string[] {
  const blocks = [...source.matchAll(/(?<=^|[\s{])\/\*\*?([\s\S]*?)\*\//g)].map(([, text = '']) =>
    text.replace(/^\s*\*/gm, ' '),
  );
  const lines = [...source.matchAll(/(?:^[ \t]*\/\/ .*\n)+/gm)].map(([text]) => text.replace(/^\s*\/\//gm, ' '));
  return [...blocks, ...lines];
}

const findParagraphs = (page: string): string[] =>
  page.replace(/```[\s\S]*?```/g, ' ').split(/\n\s*\n|\n\s*(?:[-*]|\d+\.) |\|/);

const splitSentences = (text: string): string[] =>
  text
    .replace(/https?:\S+|`[^`]*`/g, 'X')
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?:]) (?=[A-Z`"'])/);

const found = new Map(Object.keys(budgets).map((folder) => [folder, [] as string[]]));
for (const file of execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n')) {
  if (!FILES.test(file) || file === 'test/prose.test.ts') continue;
  const text = readFileSync(file, 'utf8');
  const sentences = (file.endsWith('.md') ? findParagraphs(text) : findComments(text)).flatMap(splitSentences);
  const matches = sentences.filter((sentence) => PATTERNS.some((pattern) => pattern.test(sentence)));
  found.get(findFolder(file))?.push(...matches.map((sentence) => `${file}: ${sentence}`));
}

test.each(Object.entries(budgets))('%s has at most %i sentences to decode', (folder, budget) => {
  const sentences = found.get(folder) ?? [];
  expect(sentences.length, `Rewrite some of these:\n${sentences.join('\n')}`).toBeLessThanOrEqual(budget);
});

test('no budget has room for sentences that were rewritten', () => {
  const counts = Object.fromEntries([...found].map(([folder, sentences]) => [folder, sentences.length]));
  expect(budgets, 'Lower the budgets in test/prose-budgets.json').toEqual(counts);
});
