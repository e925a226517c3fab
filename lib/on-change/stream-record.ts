import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { formatPostId, type Item, type Key, LOGGED_SORT_KEYS, parseUserId } from '../dynamodb/keys.ts';

const KINDS = { INSERT: 'CREATED', MODIFY: 'UPDATED', REMOVE: 'DELETED' } as const;

export type Entity = { type: keyof typeof LOGGED_SORT_KEYS; id: string; userId: string };

export type StreamRecord = {
  source: DynamoDBRecord;
  key: Key;
  kind: (typeof KINDS)[keyof typeof KINDS];
  entity: Entity | undefined;
  before: Item | undefined;
  after: Item | undefined;
  /** Version that the write created. A deletion also creates one. */
  version: number;
  /** When the write reached the stream, by DynamoDB's clock, in ms. Rounded down, so it may be before the write. */
  streamedAt: number;
  /** Increases with each write of an item. */
  sequenceNumber: string;
};

export function parseRecord(source: DynamoDBRecord): StreamRecord {
  const { eventName = 'MODIFY', dynamodb = {} } = source; // Lambda always sends the name.
  const { pk, sk } = parseImage(dynamodb.Keys) ?? {};
  const key = { pk: String(pk), sk: String(sk) };
  const [before, after] = [parseImage(dynamodb.OldImage), parseImage(dynamodb.NewImage)];
  return {
    source,
    key,
    kind: KINDS[eventName],
    entity: parseEntity(key),
    before,
    after,
    version: after ? readVersion(after, 1) : readVersion(before, 0) + 1,
    streamedAt: parseTime(dynamodb.ApproximateCreationDateTime),
    sequenceNumber: dynamodb.SequenceNumber ?? '',
  };
}

function parseEntity({ pk, sk }: Key): Entity | undefined {
  if (!pk.startsWith('USER#')) return undefined;
  const userId = parseUserId(pk);
  if (sk === LOGGED_SORT_KEYS.user) return { type: 'user', id: userId, userId };
  return sk.startsWith(LOGGED_SORT_KEYS.post) ? { type: 'post', id: formatPostId({ pk, sk }), userId } : undefined;
}

const readVersion = (item: Item | undefined, otherwise: number): number =>
  typeof item?.version === 'number' ? item.version : otherwise;

/** The cast is safe: Lambda and the SDK have different names for the same types. */
const parseImage = (image: object | undefined): Item | undefined =>
  image && unmarshall(image as Record<string, AttributeValue>);

/** Returns ms. Lambda passes seconds since 1970, the SDK a Date, the AWS CLI (in the redrive runbook) ISO 8601. */
export function parseTime(time: number | Date | string = 0): number {
  return typeof time === 'number' ? time * 1000 : new Date(time).getTime();
}

/**
 * Names the first record that Lambda must deliver again:
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export const toBatchResponse = ([first]: DynamoDBRecord[]): DynamoDBBatchResponse => ({
  batchItemFailures: first ? [{ itemIdentifier: first.dynamodb?.SequenceNumber ?? '' }] : [],
});
