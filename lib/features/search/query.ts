import { normalizeText } from '../../input/text.ts';
import {
  isLongEnough,
  joinWords,
  listSpellings,
  MIN_LENGTH,
  splitWords,
  startsWithIdeograph,
  type Word,
} from './text.ts';

// The console uses this file, too.

/** A typed word. A user matches if a text of the user begins with one of these. */
type Alternatives = string[];

/** Typed text. A user matches if each word does. */
export type SearchQuery = {
  words: Alternatives[];
  /** Beginnings of texts. The users of the first ones are listed first, and then those of the next ones. */
  stages: Alternatives[];
  /** The id that the text contains. */
  id: string | undefined;
};

/** Characters of typed text. Counted before anything else reads it: normalizing combining marks takes the square of their number. */
export const MAX_LENGTH = 256;

/** Reads typed text, or says why nobody can search for it. */
export function readSearch(
  typed: string,
): { query: SearchQuery; issue?: undefined } | { query?: undefined; issue: string } {
  if ([...typed].length > MAX_LENGTH) return { issue: `must have at most ${MAX_LENGTH} characters` };
  const query = parse(typed);
  return query ? { query } : { issue: `must have at least ${MIN_LENGTH} characters` };
}

export const findIssue = (typed: string): string | undefined => readSearch(typed).issue;

/** Returns undefined for a text that is too short. */
function parse(typed: string): SearchQuery | undefined {
  const id = findId(typed);
  const spellings = listSpellings(id ?? pickText(typed)).map(parseChunks);
  // Spellings have the same chunks, in other letters.
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

/** Returns the first id in a text, such as of a link. */
export const findId = (text: string): string | undefined => ID.exec(text)?.[0].toLowerCase();

/** `Ada <ada@example.org>`, or a link to an address. */
const PASTED_ADDRESS = /(?:<\s*(?:mailto:)?|mailto:)\s*([^<>\s?;,"]+@[^<>\s?;,"]*)/i;

/** Reduces pasted forms to the part that finds users. */
const pickText = (typed: string): string => PASTED_ADDRESS.exec(typed)?.[1] ?? typed.replace(/^\s*tel:/i, '');

/** A part of the typed text without spaces. Punctuation may separate its words. */
type Chunk = { words: Word[]; alternatives: Alternatives };

/** Quotes, brackets and separators belong to no chunk. */
const CHUNK = /[^\s<>()[\]{}"“”„«»「」『』,;]+/gu;

function parseChunks(spelling: string): Chunk[] {
  const chunks: Chunk[] = [];
  for (const [text] of spelling.matchAll(CHUNK)) {
    const chunk = parseChunk(text.replace(/^['.]+|['.:]+$/g, ''));
    const last = chunks.at(-1);
    // Groups of digits are one number.
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

/** `others` are spellings with punctuation, as addresses have it. */
function createChunk(words: Word[], others: Alternatives = []): Chunk {
  const joined = joinWords(words);
  // National phone numbers begin with zeros, which are not part of the international number.
  const significant = isNumber({ words, alternatives: [] }) ? joined.replace(/^0+/, '') : joined;
  return { words, alternatives: [joined, ...others, ...(isLongEnough(significant) ? [significant] : [])] };
}

/** Drops texts that begin with another one, which finds the same users. */
const shorten = (texts: string[]): string[] =>
  [...new Set(texts)].filter((text) => !texts.some((other) => other !== text && text.startsWith(other)));

/** The longest word finds the fewest users. An ideograph counts like two letters. */
const weigh = ([text = '']: Alternatives): number =>
  [...text].reduce((sum, character) => sum + (startsWithIdeograph(character) ? 2 : 1), 0);
