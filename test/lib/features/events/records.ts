import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import type { Item, Key } from '../../../../lib/dynamodb/keys.ts';
import { changeKey } from '../../../../lib/features/change-log/keys.ts';

const EPOCH = 'epoch123';
let last = 0;

export function newRecord(userId: string, version: number, change: Item = {}): DynamoDBRecord {
  const position = String(++last).padStart(40, '0');
  const key = changeKey(`${EPOCH}#USER#${userId}`, position);
  const at = `2026-01-01T00:00:${String(version).padStart(2, '0')}.000Z`;
  const item = {
    ...{ pk: `USER#${userId}`, sk: 'USER', name: `Ada ${version}`, email: 'ada@example.com' },
    ...{ createdAt: '2026-01-01T00:00:01.000Z', updatedAt: at, version },
  };
  const entry = {
    ...key,
    ...{ kind: version === 1 ? 'CREATED' : 'UPDATED', id: userId, at, by: 'sub:ada', version, item },
    ...(version > 1 ? { before: { name: `Ada ${version - 1}`, version: version - 1 } } : {}),
    ...change,
  };
  return toStreamRecord(entry);
}

/** Returns the record of a new entry of the change log. */
export const toStreamRecord = (entry: Item & Key): DynamoDBRecord => ({
  eventID: `record-${entry.pk}-${entry.sk}`,
  eventName: 'INSERT',
  dynamodb: {
    Keys: { pk: { S: entry.pk }, sk: { S: entry.sk } },
    // The cast is safe: Lambda and the SDK type attribute values differently.
    NewImage: marshall(entry, { removeUndefinedValues: true }) as never,
    SequenceNumber: entry.sk,
  },
});

export const newIds = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());

export const firstFailure = (record: DynamoDBRecord | undefined) => ({
  batchItemFailures: [{ itemIdentifier: record?.dynamodb?.SequenceNumber }],
});
