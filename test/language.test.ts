import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Words that code and documents do not use, and what to write instead. */
const WORDS: [pattern: RegExp, instead: string][] = [
  [/\bdoors?\b/i, 'API'],
  [/\brefus(e|es|ed|ing|al|als)\b/i, 'reject; condition failure'],
  [/\bsen[dt] away\b/i, 'reject'],
  [/\bwhoever\b/i, 'the client, the operator, …'],
  [/\b(nobody|somebody|someone) else('s)?\b/i, 'another client, another user, …'],
  [/\bof (its|their|one's|someone's) own\b(?! records?\b)/i, 'own, separate'],
  [/\bfor now\b/i, 'until when'],
  [/\b(aloud|anew|heeds?|riddles?)\b/i, 'loudly, again, obey'],
  [/\bmend(s|ed|ing)?\b/i, 'repair'],
  [/\brehears(e|al|als|ed)\b/i, 'e2e'],
  [/\b(rings?|rang)\b/i, 'an alarm fires'],
  [/\bMOST(_|\b)/, 'MAX_'],
  [/\b(shapes [ABof]|shape [AB])\b/, 'response format'],
  [/\b[a-z]+Behind\b|\bbehind (an?|the|that|it|its|which|this|place)\b|\bbehind\??: \S/, 'after, startAfter'],
  [/\b(const|function) (?!subjectOf)[a-z]\w*Of\b/, 'a verb: parse…, find…, to…'],
];

const EXCEPTIONS: Record<string, string> = {
  'test/language.test.ts': 'lists the words',
};

const files = execFileSync('git', ['ls-files', '*.ts', '*.md', '*.http', '*.graphql', '*.css', '*.py'], {
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((file) => !(file in EXCEPTIONS));

const lines = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((text, index) => ({ text, place: `${file}:${index + 1}` })),
);

test.each(WORDS)('no file contains %s: write "%s"', (pattern) => {
  expect(lines.filter(({ text }) => pattern.test(text)).map(({ text, place }) => `${place}: ${text.trim()}`)).toEqual(
    [],
  );
});
