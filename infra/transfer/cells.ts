import Papa from 'papaparse';
import { invalidInput } from '../../lib/errors.ts';
import { findJsonIssues, NUMBER } from '../../lib/input/exact-json.ts';
import type { FieldType } from '../../lib/users/fields/declaration.ts';
import { ownFields } from '../../lib/users/fields/values.ts';
import { formatReferences, type GroupReference, parseReferences } from './group-references.ts';

const types = new Map<string, { type: FieldType; list?: boolean }>([
  ['version', { type: 'integer' }],
  ...ownFields.map((field) => [field.name, field] as const),
]);

export const findFieldType = (field: string): FieldType => types.get(field)?.type ?? 'string';

/**
 * A list is a JSON array, items in quotes separated by commas, or items separated by vertical bars. Groups are separated
 * by semicolons. Undefined for an empty cell, and the text itself if it does not match the type. Throws BAD_USER_INPUT for
 * invalid JSON and inexact numbers.
 */
export function parseCell(field: string, text: string): unknown {
  const { type = 'string', list = false } = types.get(field) ?? {};
  if (text === '') return undefined;
  if (type === 'json') return parseJson(field, text);
  if (type === 'membership') return text.trim() === '' ? undefined : parseReferences(field, text.trim());
  if (!list) {
    const item = parseItem(field, type, text);
    return item === '' ? undefined : item;
  }
  if (!text.startsWith('['))
    return (splitQuoted(text) ?? text.split('|')).map((item) => parseItem(field, type, item.trim()));
  try {
    return parseExact(field, text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return text;
  }
}

const QUOTED_ITEMS = new Papa.Parser({ delimiter: ',', newline: '\n', quoteChar: '"' });

/** Splits a list such as `"vip","news"`. Undefined for other texts. */
function splitQuoted(text: string): string[] | undefined {
  if (!text.trimStart().startsWith('"')) return undefined;
  const { data, errors }: Papa.ParseResult<string[]> = QUOTED_ITEMS.parse(
    text.trim().replaceAll(/",\s+"/g, '","'),
    0,
    false,
  );
  return errors.length === 0 && data.length === 1 ? data[0] : undefined;
}

/** Spreadsheets show a long number this way, and lose its last digits when they save CSV. */
const SHORTENED = /^\d([.,]\d+)?E\+\d{2,}$/;

/** Throws SyntaxError, and BAD_USER_INPUT for inexact numbers and repeated names. */
function parseExact(field: string, json: string): unknown {
  const value: unknown = JSON.parse(json);
  for (const { path, message } of findJsonIssues(json)) throw invalidInput([field, ...path], message);
  return value;
}

function parseItem(field: string, type: FieldType, text: string): unknown {
  const trimmed = text.trim();
  if (type === 'integer' || type === 'number') return NUMBER.test(trimmed) ? parseExact(field, trimmed) : text;
  if (type === 'boolean' && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  if (type !== 'string') return trimmed;
  if (SHORTENED.test(trimmed)) throw invalidInput([field], 'a spreadsheet has shortened this number');
  return text;
}

function parseJson(field: string, text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return parseExact(field, text) ?? undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidInput([field], `is not JSON: ${error.message}`);
  }
}

export function formatCell(field: string, value: unknown): string | number {
  const { type } = types.get(field) ?? {};
  const isJson = type === 'json';
  // The service and the table return lists of memberships.
  if (type === 'membership') return formatReferences((value ?? []) as GroupReference[]);
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  if (isJson && typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'number' ? value : String(value ?? '');
}
