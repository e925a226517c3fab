import { type FieldDeclaration, type FieldValue, MAX_LENGTH } from './declaration.ts';

/** Returns a valid value for documents. Undefined for a pattern, if the declaration has no example or default. */
export function findExample(field: FieldDeclaration): FieldValue | undefined {
  const given = field.example ?? field.default;
  if (given !== undefined) return given;
  const value = field.enum?.[0] ?? createExample(field);
  return value !== undefined && field.list ? [value] : value;
}

function createExample({ type, maxLength = MAX_LENGTH, minimum, maximum, pattern }: FieldDeclaration) {
  switch (type) {
    case 'string':
      return pattern === undefined ? 'text'.slice(0, maxLength) : undefined;
    case 'integer':
    case 'number':
      return Math.min(Math.max(1, minimum ?? 1), maximum ?? Number.MAX_VALUE);
    case 'boolean':
      return true;
    case 'date':
      return '2026-01-31';
    case 'dateTime':
      return '2026-01-31T12:00:00.000Z';
  }
}
