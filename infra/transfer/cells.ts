import { invalidInput } from '../../lib/errors.ts';
import type { FieldType } from '../../lib/users/fields/declaration.ts';
import { ownFields } from '../../lib/users/fields/values.ts';

const types = new Map<string, { type: FieldType; list?: boolean }>([
  ['version', { type: 'integer' }],
  ...ownFields.map((field) => [field.name, field] as const),
]);

export const findFieldType = (field: string): FieldType => types.get(field)?.type ?? 'string';

/** RFC 8259, section 6. `Number()` accepts more, such as the empty text. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * A list is a JSON array, or items separated by vertical bars. Undefined for an empty cell, and the text itself if it
 * does not match the type. Throws BAD_USER_INPUT for invalid JSON.
 */
export function parseCell(field: string, text: string): unknown {
  const { type = 'string', list = false } = types.get(field) ?? {};
  if (text === '') return undefined;
  if (type === 'json') return parseJson(field, text);
  if (!list) {
    const item = parseItem(type, text);
    return item === '' ? undefined : item;
  }
  if (!text.startsWith('[')) return text.split('|').map((item) => parseItem(type, item.trim()));
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function parseItem(type: FieldType, text: string): unknown {
  const trimmed = text.trim();
  if (type === 'integer' || type === 'number') return NUMBER.test(trimmed) ? Number(trimmed) : text;
  if (type === 'boolean' && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  return type === 'string' ? text : trimmed;
}

function parseJson(field: string, text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) ?? undefined;
  } catch (error) {
    throw invalidInput([field], `is not JSON: ${(error as Error).message}`);
  }
}

export function formatCell(field: string, value: unknown): string | number {
  const isJson = types.get(field)?.type === 'json';
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  if (isJson && typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'number' ? value : String(value ?? '');
}
