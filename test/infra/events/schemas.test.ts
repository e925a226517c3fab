import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import {
  createEventSchemas,
  groupEventSchemas,
  type JsonSchema,
  toJsonSchema,
  toRegistrySchema,
} from '../../../infra/events/schemas.ts';
import { fieldDeclarations } from '../../../infra/own-fields/declarations.ts';
import { environments } from '../../../infra/settings/environments.ts';
import type { Item } from '../../../lib/dynamodb/keys.ts';
import type { ChangeEntry } from '../../../lib/features/change-log/entry.ts';
import { createCloudEvent, type EventType } from '../../../lib/features/events/cloud-event.ts';

const toFields = (declarations: object) =>
  Object.entries(fieldDeclarations.parse(declarations)).map(([name, field]) => ({ ...field, name }));

// Takes the fields from the settings, because a team's repository has other fields.
const schemas = createEventSchemas(toFields(environments.default.fields ?? {}));
const types = Object.keys(schemas) as EventType[];

test.each(types)('infra/events/%s.json is the schema of the event', async (type) => {
  const text = `${JSON.stringify(toJsonSchema(type, schemas[type]), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(`../../../infra/events/${type}.json`);
});

test.each(Object.entries(groupEventSchemas))(
  'infra/events/%s.json is the schema of the event',
  async (type, schema) => {
    const text = `${JSON.stringify(toJsonSchema(type, schema), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(`../../../infra/events/${type}.json`);
  },
);

const ajv = addFormats.default(new Ajv2020({ allErrors: true, allowUnionTypes: true }));

const id = '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23';
const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z', version: 1 };
type Entity = ChangeEntry['entity'];

const items: Record<Entity, Item> = {
  user: { name: 'Ada', email: 'ada@example.com', ...times },
  post: { title: 'Notes', publishedAt: null, ...times },
};

function newEvent(type: EventType, stored: object = {}, before?: Item) {
  const [entity, kind] = type.split('.') as [Entity, string];
  const item = { ...items, ...stored }[entity];
  return createCloudEvent({
    ...{ entity, userId: id, topic: `epoch#${entity}`, sequence: '1'.padStart(40, '0') },
    ...{ id: entity === 'user' ? id : `${id}.${id}`, at: times.createdAt, streamedAt: 0, by: 'sub:ada', version: 2 },
    kind: kind?.toUpperCase() as 'CREATED' | 'UPDATED' | 'DELETED',
    item: kind === 'deleted' ? null : item,
    before: kind === 'created' ? undefined : (before ?? item),
  });
}

function findUndescribed(value: unknown, { properties = {} }: JsonSchema, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const schema = properties[name];
    return schema ? findUndescribed(member, schema, `${path}.${name}`) : [`${path}.${name}`];
  });
}

test('an event shows an invalid stored publishedAt as null', () => {
  const event = newEvent('post.updated', { post: { ...items.post, publishedAt: '+010000-01-01T00:59:59.000Z' } });
  expect(event?.data).toMatchObject({ before: { publishedAt: null }, after: { publishedAt: null } });
});

test.each(['user.updated', 'user.deleted', 'post.updated', 'post.deleted'] as const)(
  '%s has no previous version if it was damaged by hand',
  (type) => {
    const [entity, kind] = type.split('.') as [Entity, string];
    const event = newEvent(type, { [entity]: items[entity] }, { ...items[entity], createdAt: null });
    expect(event?.data).toMatchObject({ before: null, after: kind === 'deleted' ? null : items[entity] });
    expect(ajv.validate(toJsonSchema(type, schemas[type]), event)).toBe(true);
  },
);

describe.each(types)('%s', (type) => {
  const isValid = ajv.compile(toJsonSchema(type, schemas[type]));

  test('matches its schema in all members', () => {
    const event = newEvent(type);
    expect(isValid(event), ajv.errorsText(isValid.errors)).toBe(true);
    expect(findUndescribed(event, schemas[type])).toEqual([]);
  });

  test('does not match the schema of any other type', () => {
    for (const other of types) expect(isValid(newEvent(other))).toBe(other === type);
  });
});

test('the schemas of own fields omit limits, because stored values may predate them', () => {
  const declared = createEventSchemas(
    toFields({
      nickname: { type: 'string', maxLength: 5, description: 'What friends say.' },
      ages: { type: 'integer', list: true, maximum: 150 },
      birthday: { type: 'date' },
      seen: { type: 'dateTime' },
      plan: { type: 'string', enum: ['free', 'paid'], default: 'free', deprecated: 'Use tier.' },
      score: { type: 'number' },
      active: { type: 'boolean' },
    }),
  );
  const after = declared['user.created'].properties?.data?.properties?.after;
  expect(after?.properties).toMatchObject({
    nickname: { type: 'string', description: 'What friends say.' },
    ages: { type: 'array', items: { type: 'integer' } },
    birthday: { type: 'string', format: 'date' },
    seen: { type: 'string', format: 'date-time' },
    plan: { type: 'string', description: 'Use tier.' },
    score: { type: 'number' },
    active: { type: 'boolean' },
  });
  expect(after?.required).toEqual(['id', 'name', 'email', 'createdAt', 'updatedAt', 'version', 'plan']);
  expect(declared['user.deleted'].properties?.data?.properties?.before?.properties).toHaveProperty('nickname');
});

test('registry schemas are draft 4, with the event as detail of an EventBridge event', () => {
  const { properties, $schema } = toRegistrySchema('user.updated', schemas['user.updated']);
  expect($schema).toBe('http://json-schema.org/draft-04/schema#');
  expect(properties).toMatchObject({ 'detail-type': { enum: ['user.updated'] }, detail: schemas['user.updated'] });
  // Keywords with the same meaning in draft 4 and draft 2020-12.
  const allowed = ['type', 'description', 'format', 'enum', 'minimum', 'items', 'properties', 'required'];
  const listKeywords = (schema: JsonSchema): string[] => [
    ...Object.keys(schema),
    ...[...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])].flatMap(listKeywords),
  ];
  for (const type of types) expect(allowed).toEqual(expect.arrayContaining(listKeywords(schemas[type])));
});
