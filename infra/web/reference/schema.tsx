import { Code, Group, Text } from '@mantine/core';
import type { Parameter, Schema } from './document.ts';
import { Mark } from './labels.tsx';
import { Inline } from './markdown.tsx';
import classes from './reference.module.css';

export const Parameters = ({ parameters }: { parameters: Parameter[] }) => (
  <ul className={classes.members}>
    {parameters.map(({ name, description = '', required = false, schema }) => (
      <Member key={name} name={name} required={required} schema={{ description, ...schema }} />
    ))}
  </ul>
);

export function Members({ schema }: { schema: Schema }) {
  const { properties, required = [] } = schema.items ?? schema;
  if (!properties) return null;
  return (
    <ul className={classes.members}>
      {Object.entries(properties).map(([name, property]) => (
        <Member key={name} name={name} required={required.includes(name)} schema={property} />
      ))}
    </ul>
  );
}

type MemberProps = { name: string; required: boolean; schema: Schema };

const Member = ({ name, required, schema }: MemberProps) => (
  <li className={classes.member}>
    <Group gap="xs">
      <Code fw={700} className={classes.long}>
        {name}
      </Code>
      <Text span size="sm" c="dimmed" className={classes.long}>
        {describeType(schema)}
      </Text>
      {required && <Mark>required</Mark>}
      {schema['x-unique'] && <Mark>{schema['x-unique'] === 'exact' ? 'unique, exact' : 'unique'}</Mark>}
      {schema.deprecated && <Mark>deprecated</Mark>}
    </Group>
    {schema.description && (
      <Text size="sm">
        <Inline text={schema.description} />
      </Text>
    )}
    {describeLimits(schema).length > 0 && (
      <Text size="sm" c="dimmed">
        {describeLimits(schema).join(', ')}
      </Text>
    )}
    <Members schema={schema} />
  </li>
);

export function describeType({ type = '', format, items, enum: values, const: value }: Schema): string {
  if (values) return values.map(String).join(' | ');
  if (value !== undefined) return JSON.stringify(value);
  if (items) return `array of ${describeType(items)}`;
  const name = [type].flat().join(' or ');
  return format ? `${name} (${format})` : name;
}

const MAX_PATTERN_LENGTH = 40;

/** False for ±2^53-1, beyond which JSON parsers disagree: every integer has these limits, so the page hides them. */
const isDeclaredLimit = (value: number | undefined): boolean => Math.abs(value ?? 0) !== Number.MAX_SAFE_INTEGER;

function describeLimits(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, maxItems, pattern } = schema;
  const initial = schema.default ?? schema['x-default'];
  const limits: [string, unknown][] = [
    ['at least', isDeclaredLimit(minimum) ? minimum : undefined],
    ['at most', isDeclaredLimit(maximum) ? maximum : undefined],
    ['default', initial === undefined ? undefined : JSON.stringify(initial)],
    ['pattern', pattern && pattern.length <= MAX_PATTERN_LENGTH ? pattern : undefined],
  ];
  return [
    ...limits.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`])),
    ...(minLength === undefined ? [] : [`at least ${minLength} characters`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} items`]),
  ];
}
