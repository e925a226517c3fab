import type { OwnField } from '../../lib/users/fields/declaration.ts';
import type { PresetSources } from './preset-sources.ts';
import { PRESET_FIELDS, PRESETS, type PresetField, type Source } from './presets.ts';

type Choices = {
  /** Field by path. */
  map: ReadonlyMap<string, string>;
  /** Fields or paths to leave out. */
  ignore: ReadonlySet<string>;
  ownFields: readonly OwnField[];
  /** False if the import cannot store `createdAt`. */
  keepTimes: boolean;
};

/** Combines a preset with the choices of the caller. Throws for an unknown name. */
export function choosePreset(name: string, { map, ignore, ownFields, keepTimes }: Choices): PresetSources {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (!preset) throw new Error(`No preset is named ${name}. Presets are ${Object.keys(PRESETS).join(', ')}`);
  const sources = new Map<string, Source>();
  const leftOut: string[] = [];
  const unused = new Set(ignore);
  for (const [presetField, source] of Object.entries(preset.fields) as [PresetField, Source][]) {
    const { field, issue } = findTarget(presetField, ownFields);
    const ignored = [presetField, field ?? '', ...source.from].filter((each) => ignore.has(each));
    for (const each of ignored) unused.delete(each);
    if (ignored.length > 0 || (field && sources.has(field))) continue;
    if (field) sources.set(field, source);
    else leftOut.push(`${presetField} (${describe(source)}): ${issue}`);
  }
  unused.delete('*'); // Members outside of a preset are skipped anyway.
  if (unused.size > 0) throw new Error(`The preset ${name} does not read ${[...unused].join(', ')}`);
  for (const [path, field] of map) sources.set(field, { from: [path], ...keepConversion(field, sources.get(field)) });
  const created = sources.get('createdAt');
  if (created && !keepTimes) {
    sources.delete('createdAt');
    leftOut.push(`createdAt (${describe(created)}): stored only with --table and --keep-times`);
  }
  const lines = [
    `Preset ${name}: ${preset.file}. ${preset.pages[0]}`,
    ...[...sources].map(([field, source]) => `  ${field} ← ${describe(source)}`),
    'Left out:',
    ...[...leftOut, ...Object.entries(preset.leftOut).map((entry) => entry.join(': '))].map((line) => `  ${line}`),
  ];
  return { preset, sources, mapping: lines.join('\n'), named: [...map.keys()] };
}

const CONSEQUENCES: Partial<Record<PresetField, string>> = {
  blocked: ', so blocked users are imported like others',
  emailVerified: ', so unverified addresses are imported like others',
};

type Target = { field: string; issue?: undefined } | { field?: undefined; issue: string };

function findTarget(presetField: PresetField, ownFields: readonly OwnField[]): Target {
  if (presetField === 'name' || presetField === 'email' || presetField === 'createdAt') return { field: presetField };
  if (presetField === 'subject') {
    const subject = ownFields.find(({ subject }) => subject);
    return subject ? { field: subject.name } : { issue: 'no own field is the subject' };
  }
  const own = ownFields.find(({ name }) => name === presetField);
  const consequence = CONSEQUENCES[presetField] ?? '';
  if (!own) return { issue: `no own field is named ${presetField}${consequence}` };
  const expected = `${PRESET_FIELDS[presetField]}${presetField === 'tags' ? ' list' : ''}`;
  const found = `${own.type}${own.list ? ' list' : ''}`;
  return found === expected
    ? { field: own.name }
    : { issue: `the own field has the type ${found}, not ${expected}${consequence}` };
}

/** Other tools write times in many ways, so a mapped column of times is converted, too. */
const keepConversion = (field: string, source: Source | undefined): Pick<Source, 'as'> =>
  field === 'createdAt' ? { as: source?.as ?? 'utcTime' } : {};

function describe({ from, as }: Source): string {
  const paths = from.map((path) => path.replaceAll('+', ' + ')).join(', or ');
  const notes: Partial<Record<string, string>> = {
    utcTime: 'read as UTC',
    not: 'negated',
    isSet: 'true if set',
    isFuture: 'true if in the future',
    firstOfMany: 'the first of several',
  };
  const note = typeof as === 'object' ? `true if ${as.isOneOf.join(' or ')}` : notes[as ?? ''];
  return note ? `${paths}; ${note}` : paths;
}
