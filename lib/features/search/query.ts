import { normalizeText } from '../../input/text.ts';
import { isLongEnough, joinWords, listSpellings, MIN_LENGTH, splitWords, startsWithCjk, type Word } from './text.ts';

// The console also uses this file.

/** Spellings of one typed word. */
type Alternatives = string[];

export type SearchQuery = {
  words: Alternatives[];
  /** Users found by an earlier stage are listed first. */
  stages: Alternatives[];
  id: string | undefined;
};

/** Characters of a search text. Normalizing combining marks takes quadratic time. */
export const MAX_LENGTH = 256;

export function parseSearch(
  typed: string,
): { query: SearchQuery; issue?: undefined } | { query?: undefined; issue: string } {
  if (!typed.isWellFormed()) return { issue: 'must be well-formed Unicode' };
  if ([...typed].length > MAX_LENGTH) return { issue: `must have at most ${MAX_LENGTH} characters` };
  const query = parse(typed);
  return query ? { query } : { issue: `must have at least ${MIN_LENGTH} characters` };
}

export const findIssue = (typed: string): string | undefined => parseSearch(typed).issue;

function parse(typed: string): SearchQuery | undefined {
  const id = findId(typed);
  const spellings = listSpellings(id ?? pickText(typed)).map(parseChunks);
  const words = (spellings[0] ?? []).map((_, at) =>
    shorten(spellings.flatMap((chunks) => chunks[at]?.alternatives ?? [])),
  );
  const [longest] = words
    .filter((alternatives) => alternatives.every(isLongEnough))
    .toSorted((one, other) => weigh(other) - weigh(one));
  const phrases = shorten(spellings.map((chunks) => joinWords(chunks.flatMap((chunk) => chunk.words))));
  const inOrder = words.length > 1 && phrases.every(isLongEnough) ? [phrases] : [];
  const stages = [...inOrder, ...(longest ? [longest] : [])];
  return stages.length > 0 ? { words, stages, id } : undefined;
}

const ID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i;

export const findId = (text: string): string | undefined => ID.exec(text)?.[0].toLowerCase();

/** Matches addresses in `Ada <ada@example.org>` and in `mailto:` links. */
const PASTED_ADDRESS = /(?:<\s*(?:mailto:)?|mailto:)\s*([^<>\s?;,"]+@[^<>\s?;,"]*)/i;

const pickText = (typed: string): string => PASTED_ADDRESS.exec(typed)?.[1] ?? typed.replace(/^\s*tel:/i, '');

/** Typed text between spaces. Punctuation may separate its words. */
type Chunk = { words: Word[]; alternatives: Alternatives };

const CHUNK = /[^\s<>()[\]{}"“”„«»「」『』,;]+/gu;

function parseChunks(spelling: string): Chunk[] {
  const chunks: Chunk[] = [];
  for (const [text] of spelling.matchAll(CHUNK)) {
    const chunk = parseChunk(text.replace(/^['.]+|['.:]+$/g, ''));
    const last = chunks.at(-1);
    // Join groups of digits to one number.
    if (last && isNumber(last) && isNumber(chunk)) chunks.splice(-1, 1, createChunk([...last.words, ...chunk.words]));
    else if (chunk.words.length > 0) chunks.push(chunk);
  }
  return chunks;
}

function parseChunk(text: string): Chunk {
  const raw = normalizeText(text);
  if (text.includes('@')) return { words: [{ text: raw }], alternatives: [raw] };
  const isDomain = /[^.]\.[^.]/.test(text);
  return createChunk(splitWords(text, MAX_LENGTH), isDomain ? [raw, `@${raw}`] : [raw]);
}

const isNumber = ({ words }: Chunk): boolean => words.length > 0 && words.every(({ kind }) => kind === 'number');

function createChunk(words: Word[], others: Alternatives = []): Chunk {
  const joined = joinWords(words);
  // Also search without leading zeros: the international form of a phone number omits them.
  const significant = isNumber({ words, alternatives: [] }) ? joined.replace(/^0+/, '') : joined;
  return { words, alternatives: [joined, ...others, ...(isLongEnough(significant) ? [significant] : [])] };
}

/** Drops texts that begin with another one: the shorter text finds the same users and more. */
const shorten = (texts: string[]): string[] =>
  [...new Set(texts)].filter((text) => !texts.some((other) => other !== text && text.startsWith(other)));

/** The longest word finds the fewest users. A Chinese, Japanese or Korean character counts as two letters. */
const weigh = ([text = '']: Alternatives): number =>
  [...text].reduce((sum, character) => sum + (startsWithCjk(character) ? 2 : 1), 0);
