import * as z from 'zod/mini';
import { type Item, userKey } from '../../dynamodb/keys.ts';
import { environment } from '../../environment.ts';
import { parsePublishedAt } from '../../posts/post.ts';
import { parseUser, showUser } from '../../users/user.ts';
import type { ChangeEntry } from '../change-log/entry.ts';
import { readItemBefore } from '../change-log/versions.ts';

/** https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md, in the structured JSON format. */
export type CloudEvent = {
  specversion: '1.0';
  /** The log of the change and the position in it: each delivery of one change has the same id. */
  id: string;
  source: string;
  type: EventType;
  /** The id of the user, or of the author of the post. */
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  data: {
    kind: ChangeEntry['kind'];
    /** The id of what was changed. */
    id: string;
    /** The version that the change made. It rises with each change of a user or post. */
    version: number;
    by: string | null;
    before: Item | null;
    after: Item | null;
  };
};

export type EventType = `${ChangeEntry['entity']}.${Lowercase<ChangeEntry['kind']>}`;

/**
 * Returns undefined for a change whose content was erased meanwhile: only the deletion is told, so that others delete the person, too.
 * Throws an error if the entry does not hold what an event shows.
 */
export function createCloudEvent(entry: ChangeEntry): CloudEvent | undefined {
  const { entity, kind, id, userId, topic, sequence, at, by, item } = entry;
  const before = readItemBefore(entry);
  if (kind !== 'DELETED' && !item) return undefined;
  const show = (stored: Item) =>
    entity === 'user' ? describeUser(stored, id) : { id, authorId: userId, ...describePost(stored, id) };
  return {
    specversion: '1.0',
    id: `${topic}/${sequence}`,
    source: environment.eventSource,
    // Lowercase has the type of its text only.
    type: `${entity}.${kind.toLowerCase() as Lowercase<typeof kind>}`,
    subject: userId,
    time: at,
    datacontenttype: 'application/json',
    data: {
      ...{ kind, id, version: z.number().parse(entry.version), by },
      before: before && show(before),
      after: item && show(item),
    },
  };
}

/** A user has the members of REST, and its times and version. An item before a change has no key. */
function describeUser(item: Item, id: string): Item {
  const user = parseUser({ ...item, ...userKey(id) });
  const { createdAt, updatedAt, version } = user;
  return { id, ...showUser(user), createdAt, updatedAt, version };
}

const post = z.object({
  title: z.string(),
  publishedAt: z.unknown(),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.number(),
});

function describePost(item: Item, id: string): Item {
  const { title, publishedAt, ...others } = post.parse(item);
  return { title, publishedAt: parsePublishedAt(publishedAt, id), ...others };
}
