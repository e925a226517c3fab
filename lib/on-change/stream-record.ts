import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { formatPostId, type Item, type Key, parseUserId } from '../dynamodb/keys.ts';

const KINDS = { INSERT: 'CREATED', MODIFY: 'UPDATED', REMOVE: 'DELETED' } as const;

/** A user, or a post of a user. */
export type Entity = { type: 'user' | 'post'; id: string; userId: string };

/** A record of the table's stream: what a write has made of an item. */
export type StreamRecord = {
  /** The record as it was delivered. */
  source: DynamoDBRecord;
  key: Key;
  kind: (typeof KINDS)[keyof typeof KINDS];
  /** Undefined for items of other kinds. */
  entity: Entity | undefined;
  /** The item before and after the write; undefined where there is none. */
  before: Item | undefined;
  after: Item | undefined;
  /** The write made this version: a deletion makes one, too. */
  version: number;
  /** The time when the record reached the stream by DynamoDB's clock, in ms, rounded down: the write was made then or later. */
  streamedAt: number;
  /** Rises from each write of an item to the next. */
  sequenceNumber: string;
};

export function parseRecord(source: DynamoDBRecord): StreamRecord {
  const { eventName = 'MODIFY', dynamodb = {} } = source; // Lambda sends the name with each record.
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
  if (sk === 'USER') return { type: 'user', id: userId, userId };
  return sk.startsWith('POST#') ? { type: 'post', id: formatPostId({ pk, sk }), userId } : undefined;
}

const readVersion = (item: Item | undefined, otherwise: number): number =>
  typeof item?.version === 'number' ? item.version : otherwise;

/** The attribute values of Lambda's event types are those of the SDK under another name. */
const parseImage = (image: object | undefined): Item | undefined =>
  image && unmarshall(image as Record<string, AttributeValue>);

/** Returns milliseconds. Lambda gives seconds since 1970, the SDK a Date, and the AWS CLI, which the runbook redrives with, ISO 8601. */
export function parseTime(time: number | Date | string = 0): number {
  return typeof time === 'number' ? time * 1000 : new Date(time).getTime();
}

/** Names the first of the records that are delivered again. https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html */
export const toBatchResponse = ([first]: DynamoDBRecord[]): DynamoDBBatchResponse => ({
  batchItemFailures: first ? [{ itemIdentifier: first.dynamodb?.SequenceNumber ?? '' }] : [],
});
