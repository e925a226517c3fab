import * as z from 'zod/mini';
import { type Item, userKey } from '../../dynamodb/keys.ts';
import { environment } from '../../environment.ts';
import { dateTime } from '../../input/schemas.ts';
import { parsePublishedAt } from '../../posts/post.ts';
import { parseUser, pickClientMembers } from '../../users/user.ts';
import type { ChangeEntry } from '../change-log/entry.ts';
import { toItemBefore } from '../change-log/versions.ts';

/** Structured JSON format: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md */
export type CloudEvent = {
  specversion: '1.0';
  /** Repeated deliveries have the same id. */
  id: string;
  source: string;
  type: EventType | GroupEventType;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  data: {
    kind: ChangeEntry['kind'];
    id: string;
    version: number;
    by: string | null;
    before: Item | null;
    after: Item | null;
  };
};

/** Types of the changes in the change log. */
export type EventType = `${ChangeEntry['entity']}.${Lowercase<ChangeEntry['kind']>}`;
export type GroupEventType = `group.${Lowercase<ChangeEntry['kind']>}`;

/**
 * Undefined if the content was erased. A deletion still gives an event, so that receivers delete the person. Throws if
 * the entry, or the version after the change, is damaged.
 */
export function createCloudEvent(entry: ChangeEntry): CloudEvent | undefined {
  const { entity, kind, id, userId, topic, sequence, at, by, item } = entry;
  if (kind !== 'DELETED' && !item) return undefined;
  const show = (stored: Item) =>
    entity === 'user' ? describeUser(stored, id) : { id, authorId: userId, ...describePost(stored, id) };
  return {
    specversion: '1.0',
    id: `${topic}/${sequence}`,
    source: environment.eventSource,
    // The cast is needed, because TypeScript types `toLowerCase` as string.
    type: `${entity}.${kind.toLowerCase() as Lowercase<typeof kind>}`,
    subject: userId,
    time: at,
    datacontenttype: 'application/json',
    data: {
      kind,
      id,
      version: z.number().parse(entry.version),
      by,
      before: showBefore(toItemBefore(entry), show),
      after: item && show(item),
    },
  };
}

/** Returns null for an item damaged by hand. Throwing would block the event of its repair or deletion. */
function showBefore(before: Item | null, show: (item: Item) => Item): Item | null {
  try {
    return before && show(before);
  } catch {
    return null;
  }
}

/** Adds the key, which the log does not store for the previous version. */
function describeUser(item: Item, id: string): Item {
  const user = parseUser({ ...item, ...userKey(id) });
  const { createdAt, updatedAt, version } = user;
  return { id, ...pickClientMembers(user), createdAt, updatedAt, version };
}

const post = z.object({
  title: z.string(),
  publishedAt: z.unknown(),
  createdAt: dateTime,
  updatedAt: dateTime,
  version: z.number(),
});

function describePost(item: Item, id: string): Item {
  const { title, publishedAt, ...others } = post.parse(item);
  return { title, publishedAt: parsePublishedAt(publishedAt, id), ...others };
}
