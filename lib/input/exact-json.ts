import type { Issue } from '../errors.ts';

/** Matches numbers in JSON (RFC 8259 section 6). `Number` alone accepts other texts, for example the empty one as 0. */
export const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

export const INEXACT_NUMBER = 'cannot be stored exactly: numbers keep 15 significant digits, from 1e-307 to 1e308';

/** A 64-bit float keeps every number of 15 digits. */
const SHORT_NUMBER = /^-?[\d.]{1,15}$/;

/** False for a decimal number that JavaScript would change, such as 9007199254740993, 1e400 or 1e-400. */
export const isExactNumber = (literal: string): boolean =>
  SHORT_NUMBER.test(literal) || formatDecimal(literal) === formatDecimal(String(Number(literal)));

/** True for a number in JSON that JavaScript keeps. */
export const isNumber = (text: string): boolean => NUMBER.test(text) && isExactNumber(text);

/** Equal numbers have the same text. Ignores the sign. Takes linear time. Undefined for Infinity. */
function formatDecimal(literal: string): string | undefined {
  const match = /^[-+]?(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i.exec(literal);
  if (!match) return undefined;
  const [, integer = '', fraction = '', exponent = '0'] = match;
  const digits = `${integer}${fraction}`;
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const significant = digits.slice(0, end).replace(/^0+/, '');
  return significant && `${significant}e${Number(exponent) - fraction.length + digits.length - end}`;
}

type Container = { names?: Set<string>; position: string | number };

/** Finds what `JSON.parse` would change or drop: inexact numbers, and repeated names of an object. Expects valid JSON. */
export function* findJsonIssues(json: string): Generator<Issue> {
  const token = /[{}[\],:"]|-?\d[\d.eE+-]*/g;
  const open: Container[] = [];
  const createIssue = (message: string): Issue => ({ path: open.map(({ position }) => position), message });
  let string = '';
  for (let match = token.exec(json); match; match = token.exec(json)) {
    const [text] = match;
    const container = open.at(-1);
    switch (text) {
      case '"':
        token.lastIndex = findStringEnd(json, match.index);
        string = json.slice(match.index, token.lastIndex);
        break;
      case ':':
        if (!container?.names) break;
        container.position = JSON.parse(string) as string; // A colon follows only a name.
        if (container.names.has(container.position)) yield createIssue('must be given only once');
        container.names.add(container.position);
        break;
      case '{':
        open.push({ names: new Set(), position: '' });
        break;
      case '[':
        open.push({ position: 0 });
        break;
      case ',':
        if (typeof container?.position === 'number') container.position++;
        break;
      case '}':
      case ']':
        open.pop();
        break;
      default:
        if (!isExactNumber(text)) yield createIssue(INEXACT_NUMBER);
    }
  }
}

function findStringEnd(json: string, start: number): number {
  let end = start + 1;
  while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  return end + 1;
}
