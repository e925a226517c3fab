import * as z from 'zod/mini';
import { CONTROL, DESCRIBED_NOT_VISIBLE, DIRECTION, SEPARATOR, SPACE } from '../../lib/input/text.ts';
import { describeLocalPart, MAX_LOCAL_OCTETS, MAX_OCTETS, UNICODE } from '../../lib/users/email.ts';
import { type FieldDeclaration, MAX_JSON_BYTES, MAX_LENGTH } from '../../lib/users/fields/declaration.ts';
import { MAX_JSON_DEPTH, valueSchema } from '../../lib/users/fields/value-schema.ts';

// Functions of lib/ check values by code. The patterns and keywords here describe those checks.

export type JsonSchema = z.core.JSONSchema.BaseSchema;

export function toJsonSchema(schema: z.ZodMiniType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

const surroundWithSpace = (pattern: string): string => `^[${SPACE}]*${pattern}[${SPACE}]*$`;

export const describePlainText = (maxLength: number) =>
  describeTrimmedText(maxLength, `[^${CONTROL}${SEPARATOR}${DIRECTION}]`);

export const describeMultilineText = (maxLength: number) =>
  describeTrimmedText(maxLength, `(\\r?\\n|[^${CONTROL}${SEPARATOR}${DIRECTION}])`);

function describeTrimmedText(maxLength: number, inner: string) {
  const edge = `[^${SPACE}${CONTROL}${DIRECTION}]`;
  const trimmed = maxLength === 1 ? edge : `${edge}(${inner}{0,${maxLength - 2}}${edge})?`;
  return { pattern: surroundWithSpace(trimmed), allOf: [{ pattern: `[^${DESCRIBED_NOT_VISIBLE}]` }] };
}

const describeExactText = (maxLength: number, pattern: string | undefined) => ({
  ...(pattern === undefined ? {} : { pattern }),
  allOf: [
    { pattern: `^[^${CONTROL}${SEPARATOR}${DIRECTION}]{1,${maxLength}}$` },
    { pattern: `[^${DESCRIBED_NOT_VISIBLE}]` },
  ],
});

/**
 * Describes addresses before trimming. The schema cannot count octets or convert domains. The first look-ahead rejects
 * domains that end like an IPv4 address (https://url.spec.whatwg.org/#ends-in-a-number-checker).
 */
export function describeEmail() {
  const label = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
  const ascii = `(${label}\\.)+(?!([0-9]+|0[Xx][0-9A-Fa-f]*)([^A-Za-z0-9-]|$))${label}`;
  const unicode = `[A-Za-z0-9.-]*${UNICODE}([A-Za-z0-9.-]|${UNICODE})*`;
  const pattern = surroundWithSpace(`${describeLocalPart(DESCRIBED_NOT_VISIBLE)}@(${ascii}|${unicode})`);
  const length = `(?=[^@]{1,${MAX_LOCAL_OCTETS}}@).{3,${MAX_OCTETS}}`;
  return { format: 'idn-email', pattern, allOf: [{ pattern: surroundWithSpace(length) }] };
}

/** Adds keywords for checks by code. */
export function describeField(field: FieldDeclaration): JsonSchema {
  if (field.type === 'membership') return describeMemberships(field);
  const schema = toJsonSchema(valueSchema(field));
  const item = describeItem(field);
  return {
    ...schema,
    ...(field.list ? { items: { ...(schema.items as JsonSchema), ...item } } : item),
    ...(field.list && field.subject ? { uniqueItems: true } : {}),
    ...describeWhole(field),
  };
}

function describeMemberships({ roles = [], maxItems, description }: FieldDeclaration): JsonSchema {
  const role = { type: 'string', enum: [...roles], description: `Default in a request: \`${roles[0]}\`.` };
  return {
    type: 'array',
    maxItems,
    items: {
      type: 'object',
      properties: { id: { type: 'string', format: 'uuid', description: 'The id of a group that exists.' }, role },
      required: ['id'],
      additionalProperties: false,
    },
    description,
  } as JsonSchema; // `maxItems` and `description` are always set.
}

function describeItem({ type, enum: values, subject, ...limits }: FieldDeclaration): JsonSchema {
  const { maxLength = MAX_LENGTH, maxBytes = MAX_JSON_BYTES, multiline, pattern, unique } = limits;
  if (values || subject) return {};
  switch (type) {
    case 'string':
      if (pattern !== undefined || unique === 'exact') return describeExactText(maxLength, pattern);
      return multiline ? describeMultilineText(maxLength) : describePlainText(maxLength);
    case 'date':
      return { format: 'date' };
    case 'dateTime':
      return { format: 'date-time' };
    case 'json':
      return {
        not: { type: 'null' },
        'x-maxBytes': maxBytes,
        description: `Any JSON value except null: at most ${maxBytes} bytes as UTF-8 JSON, at most ${MAX_JSON_DEPTH} levels deep. Numbers that a 64-bit float would change are rejected. A PATCH with Content-Type \`application/merge-patch+json\` is merged into the value (RFC 7396). Other requests replace it.`,
      };
    default:
      return {};
  }
}

/**
 * Uses extensions where JSON Schema does not fit. Generated clients would send a `default`, so a PATCH would reset the
 * field. `maxLength` would count spaces that the service trims.
 */
const describeWhole = ({
  type,
  maxLength = MAX_LENGTH,
  enum: values,
  label,
  description,
  deprecated,
  example,
  unique,
  default: fallback,
}: FieldDeclaration): JsonSchema => ({
  ...(label ? { title: label } : {}),
  ...(type === 'string' && !values ? { 'x-maxLength': maxLength } : {}),
  ...(description || deprecated ? { description: [description, deprecated].filter(Boolean).join(' ') } : {}),
  ...(deprecated ? { deprecated: true } : {}),
  ...(example === undefined ? {} : { examples: [example] }),
  ...(unique ? { 'x-unique': unique } : {}),
  ...(fallback === undefined ? {} : { 'x-default': fallback }),
});
