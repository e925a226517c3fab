import * as z from 'zod';
import { plainPropNames, settings } from './settings.ts';

type Schema = {
  type: keyof typeof TYPES;
  enum?: string[];
  const?: string;
  anyOf?: Schema[];
  default?: unknown;
};

const MAX_LINE = 121;

const TYPES = {
  string: 'string',
  boolean: 'boolean',
  integer: 'number',
  array: 'string[]',
  object: '{ readonly [name: string]: FieldDeclaration }',
};

/**
 * Returns the content of construct/plain-props.ts. To write it, run `npm test -- test/infra/settings/settings.test.ts --update`.
 */
export function createPlainProps(): string {
  const members = plainPropNames.map((name) => {
    const schema = z.toJSONSchema(settings.shape[name], { target: 'draft-7', io: 'output' }) as Schema;
    return `${formatComment(name, schema)}  readonly ${name}?: ${formatType(schema)} | undefined;\n`;
  });
  return `import type { FieldDeclaration } from '../../lib/users/fields/declaration.ts';

/** Generated from infra/settings/settings.ts. */
export interface PlainProps {
${members.join('')}}
`;
}

function formatType(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(formatType).join(' | ');
  const values = schema.const === undefined ? schema.enum : [schema.const];
  return values?.map((value) => `'${value}'`).join(' | ') ?? TYPES[schema.type];
}

function formatComment(name: (typeof plainPropNames)[number], { default: preset }: Schema): string {
  const { prop, unset = 'none' } = settings.shape[name].meta() ?? {};
  const hasDefault = preset !== undefined && typeof preset !== 'object';
  const text = prop?.startsWith('@internal') ? prop : `${prop} @default ${hasDefault ? format(preset) : `- ${unset}`}`;
  const line = `  /** ${text} */\n`;
  if (line.length <= MAX_LINE) return line;
  const lines = text.replace(' @default', '\n@default').replace(/(.{1,115})(?:\s|$)/g, '   * $1\n');
  return `  /**\n${lines}   */\n`;
}

const format = (preset: unknown) => (typeof preset === 'string' ? `'${preset}'` : String(preset));
