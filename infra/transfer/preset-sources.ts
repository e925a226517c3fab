import type { Conversion, Preset, Source } from './presets.ts';

/** Sources by field of the user. `mapping`: text for people. `named`: paths that the caller chose. */
export type PresetSources = {
  preset: Preset;
  sources: ReadonlyMap<string, Source>;
  mapping: string;
  named: readonly string[];
};

type Members = Readonly<Record<string, unknown>>;

/** Returns the first value. Undefined if all paths are empty. */
export function readSource(record: Members, { from, as }: Source): { path: string; value: unknown } | undefined {
  for (const path of from) {
    const value = readPath(record, path);
    if (as === 'isSet' && value !== undefined) return { path, value: !isEmpty(value) };
    if (!isEmpty(value)) return { path, value: convert(value, as) };
  }
  return undefined;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** Members that a path starts with. */
export const findRoots = ({ from }: Source): string[] =>
  from.flatMap((path) => path.split('+')).flatMap((path) => path.split('.', 1));

function readPath(record: Members, path: string): unknown {
  if (Object.hasOwn(record, path)) return record[path];
  const parts = path.split('+');
  if (parts.length > 1) {
    const texts = parts.map((part) => String(readPath(record, part) ?? '').trim());
    return texts.filter(Boolean).join(' ');
  }
  return path.split('.').reduce<unknown>((value, name) => readMember(value, name, record), record);
}

function readMember(value: unknown, name: string, record: Members): unknown {
  if (Array.isArray(value)) {
    const elements: Members[] = value.filter((element) => typeof element === 'object' && element !== null);
    if (!name.startsWith('@')) return elements.find((element) => element.Name === name)?.Value;
    return elements.find(({ id }) => id !== undefined && id === record[name.slice(1)]);
  }
  // A CSV cell may contain JSON.
  const object = typeof value === 'string' && value.startsWith('{') ? parseJson(value) : value;
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, name)) return undefined;
  return (object as Members)[name];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function convert(value: unknown, as: Conversion | undefined): unknown {
  if (typeof as === 'object') return as.isOneOf.includes(String(value));
  if (as === 'time' || as === 'utcTime') return toTime(value, as === 'utcTime');
  if (as === 'isFuture') return Date.parse(String(toTime(value, true))) > Date.now();
  if (as === 'firstOfMany') return String(value).split(' ::: ')[0];
  if (as !== 'not') return value;
  // Another value is rejected later, because it is not a boolean.
  const negated = new Map([
    ['true', false],
    ['false', true],
  ]);
  return negated.get(String(value).toLowerCase()) ?? value;
}

const NUMBER = /^\d+(\.\d+)?$/;
/** Larger numbers are milliseconds: 100 billion seconds would be in the year 5138. */
const MAX_SECONDS = 1e11;
const TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/;

/** Returns ISO 8601, or the value itself if it is not a time. */
function toTime(value: unknown, isUtc: boolean): unknown {
  const text = String(value).trim();
  if (NUMBER.test(text)) return formatTime(Number(text) * (Number(text) > MAX_SECONDS ? 1 : 1000)) ?? value;
  const [, date, time, zone = isUtc ? 'Z' : ''] = TIME.exec(text) ?? [];
  const offset = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone.replace('UTC', 'Z').replace(/(\d\d)(\d\d)$/, '$1:$2');
  return (date && offset && formatTime(Date.parse(`${date}T${time}${offset}`))) || value;
}

function formatTime(ms: number): string | undefined {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
