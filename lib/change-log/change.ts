import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { postIdOf, userIdOf } from '../dynamodb/keys.ts';
import type { Item } from '../dynamodb/condition-failure.ts';

/** What happened to a user or a post. `item` is the stored item as the change left it; none when it was deleted. */
export type Change = {
  entity: 'user' | 'post';
  kind: 'CREATED' | 'UPDATED' | 'DELETED';
  id: string;
  /** The user itself, or the author. */
  userId: string;
  /** ISO 8601. */
  at: string;
  /** When it came into the stream, in ms, to the second: a write takes its own time before it is done. */
  streamedAt: number;
  item: Item | null;
  /** Its place in the table's stream: rising for all changes below one partition key. */
  sequence: string;
};

const KINDS = { INSERT: 'CREATED', MODIFY: 'UPDATED', REMOVE: 'DELETED' } as const;

/** Sequence numbers have up to 40 digits; padded, they sort as text. */
const DIGITS = 40;

/** Undefined for records of what no subscriber may see: claims, requests, page blocks, changes themselves. */
export function parseChange({ eventName, dynamodb }: DynamoDBRecord): Change | undefined {
  const [keys, item] = [imageOf(dynamodb?.Keys), imageOf(dynamodb?.NewImage)];
  const { pk, sk } = keys ?? {};
  if (!eventName || typeof pk !== 'string' || typeof sk !== 'string' || !pk.startsWith('USER#')) return undefined;
  const userId = userIdOf(pk);
  return {
    ...(sk === 'USER' ? { entity: 'user', id: userId } : { entity: 'post', id: postIdOf({ pk, sk }) }),
    kind: KINDS[eventName],
    userId,
    // A delete leaves no time behind; the stream's own is rounded to seconds, and so may lie before the delete.
    at: typeof item?.updatedAt === 'string' ? item.updatedAt : new Date().toISOString(),
    streamedAt: parseStreamedAt(dynamodb?.ApproximateCreationDateTime),
    item: item ?? null,
    sequence: (dynamodb?.SequenceNumber ?? '').padStart(DIGITS, '0'),
  };
}

/** Lambda's events type attribute values apart from the SDK; they are the same. */
const imageOf = (image: object | undefined): Item | undefined =>
  image && unmarshall(image as Record<string, AttributeValue>);

/** Lambda gives seconds since 1970, the SDK a Date. */
const parseStreamedAt = (time: number | Date | undefined): number =>
  time instanceof Date ? time.getTime() : (time ?? 0) * 1000;
