import type { CloudEvent, EventType, GroupEventType } from '../../lib/features/events/cloud-event.ts';
import type { OwnField } from '../../lib/users/fields/declaration.ts';

/**
 * Keywords with the same meaning in draft 4 (EventBridge's schema registry) and draft 2020-12. Objects may get more
 * members later.
 */
export type JsonSchema = {
  type: string | string[];
  description?: string;
  format?: string;
  enum?: unknown[];
  minimum?: number;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
};

export function createEventSchemas(fields: readonly OwnField[]): Record<EventType, JsonSchema> {
  const user = createUserSchema(fields);
  return {
    'user.created': createSchema('user.created', { before: NULL, after: user }),
    'user.updated': createSchema('user.updated', { before: orNull(user), after: user }),
    'user.deleted': createSchema('user.deleted', { before: orNull(user), after: NULL }),
    'post.created': createSchema('post.created', { before: NULL, after: post }),
    'post.updated': createSchema('post.updated', { before: orNull(post), after: post }),
    'post.deleted': createSchema('post.deleted', { before: orNull(post), after: NULL }),
  };
}

const NULL: JsonSchema = { type: 'null' };
/** Allows null, because the content may be erased, or damaged by hand. */
const orNull = (schema: JsonSchema): JsonSchema => ({ ...schema, type: ['object', 'null'] });
const text: JsonSchema = { type: 'string' };
const time: JsonSchema = { type: 'string', format: 'date-time' };
const uuid: JsonSchema = { type: 'string', format: 'uuid' };
const version: JsonSchema = { type: 'integer', minimum: 1 };
const choose = (...values: string[]): JsonSchema => ({ type: 'string', enum: values });

const object = (properties: Record<string, JsonSchema>, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
});

type Data = CloudEvent['data'];

function createSchema(
  type: EventType | GroupEventType,
  { before, after }: Record<'before' | 'after', JsonSchema>,
): JsonSchema {
  const [entity, kind = ''] = type.split('.');
  const data: Record<keyof Data, JsonSchema> = {
    kind: choose(kind.toUpperCase()),
    id: entity === 'post' ? text : uuid,
    version: {
      ...version,
      description:
        'Increases with each change of a record. Ignore an event unless its version is higher than the last one.',
    },
    by: {
      type: ['string', 'null'],
      description: 'The caller who made the change, as in request logs. Null if unknown.',
    },
    before: { ...before, description: `The ${entity} before the change.` },
    after: { ...after, description: `The ${entity} after the change.` },
  };
  const event: Record<keyof CloudEvent, JsonSchema> = {
    specversion: choose('1.0'),
    id: { ...text, description: 'The same for each delivery of one change.' },
    source: { type: 'string', format: 'uri-reference', description: 'The deployment that sent the event.' },
    type: choose(type),
    subject: { ...uuid, description: entity === 'post' ? 'The id of the author.' : `The id of the ${entity}.` },
    time: { ...time, description: 'The time of the change.' },
    datacontenttype: choose('application/json'),
    data: object(data),
  };
  return { description: `A ${entity} was ${kind}.`, ...object(event) };
}

const times = { createdAt: time, updatedAt: time, version };

function createUserSchema(fields: readonly OwnField[]): JsonSchema {
  const own = Object.fromEntries(fields.map((field) => [field.name, createFieldSchema(field)]));
  const shown = fields.filter((field) => field.default !== undefined).map(({ name }) => name);
  const always = { id: uuid, name: text, email: text, ...times };
  return object({ id: uuid, name: text, email: text, ...own, ...times }, [...Object.keys(always), ...shown]);
}

const post = object({
  id: text,
  authorId: uuid,
  title: text,
  publishedAt: { type: ['string', 'null'], format: 'date-time' },
  ...times,
});

const group = object({ id: uuid, name: text, externalId: { type: ['string', 'null'] }, ...times });

/** Events of deployments with `groups=on`. */
export const groupEventSchemas: Record<GroupEventType, JsonSchema> = {
  'group.created': createSchema('group.created', { before: NULL, after: group }),
  'group.updated': createSchema('group.updated', { before: orNull(group), after: group }),
  'group.deleted': createSchema('group.deleted', { before: orNull(group), after: NULL }),
};

const FIELD_TYPES: Record<OwnField['type'], JsonSchema> = {
  string: text,
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  dateTime: time,
  json: { type: ['object', 'array', 'string', 'number', 'boolean'] },
  membership: object({ id: uuid, role: text }),
};

/** Omits limits: stored values may predate the declaration. */
function createFieldSchema({ type, list, description, deprecated }: OwnField): JsonSchema {
  const schema: JsonSchema = list ? { type: 'array', items: FIELD_TYPES[type] } : FIELD_TYPES[type];
  const about = [description, deprecated].filter(Boolean).join(' ');
  return about ? { ...schema, description: about } : schema;
}

export const toJsonSchema = (type: string, schema: JsonSchema) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: type,
  ...schema,
});

/**
 * EventBridge's own event, with the CloudEvent as `detail`.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-schema.html
 */
export const toRegistrySchema = (type: string, schema: JsonSchema) => ({
  $schema: 'http://json-schema.org/draft-04/schema#',
  title: type,
  ...object({
    version: text,
    id: { ...text, description: 'Differs for each delivery to the bus. To detect duplicates, compare detail.id.' },
    'detail-type': choose(type),
    source: text,
    account: text,
    time,
    region: text,
    resources: { type: 'array', items: text },
    detail: schema,
  }),
});
