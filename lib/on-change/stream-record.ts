import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { SYSTEM } from '../auth/caller.ts';
import { formatPostId, type Item, type Key, parseUserId, purgeKey, userKey } from '../dynamodb/keys.ts';
import { timestamp } from '../environment.ts';
import type { Change } from '../features/change-log/change.ts';
import type { FindDeletion } from '../features/change-log/deletions.ts';
import { formatPosition } from '../features/change-log/topics.ts';
import type { UserWrite } from '../features/search/entries.ts';
import type { Purge } from '../posts/purge.ts';

const KINDS = { INSERT: 'CREATED', MODIFY: 'UPDATED', REMOVE: 'DELETED' } as const;

/** Returns undefined for records of other items than users and posts. `findDeletion` finds what deleted items cannot tell. */
export function parseChange({ eventName, dynamodb }: DynamoDBRecord, findDeletion: FindDeletion): Change | undefined {
  const key = parseKey(dynamodb?.Keys);
  const entity = parseEntity(key);
  if (!eventName || !entity) return undefined;
  const [old, item] = [parseImage(dynamodb?.OldImage), parseImage(dynamodb?.NewImage)];
  return {
    kind: KINDS[eventName],
    id: entity.id,
    ...(item ? readWrite(item) : readDeletion(key, old, findDeletion)),
    streamedAt: parseTime(dynamodb?.ApproximateCreationDateTime),
    item: item ?? null,
    ...(old ? { before: pickReplaced(old, item) } : {}),
    sequence: formatPosition(dynamodb?.SequenceNumber ?? ''),
  };
}

type Attribution = Pick<Change, 'by' | 'at' | 'version'>;

const readWrite = ({ by, updatedAt, version }: Item): Attribution => ({
  by: typeof by === 'string' ? by : null,
  at: typeof updatedAt === 'string' ? updatedAt : timestamp(),
  version: typeof version === 'number' ? version : 1,
});

/** Posts of deleted users are deleted by the service, without a record. Then the time is that of now: the stream's may be a second before it. */
function readDeletion(key: Key, before: Item | undefined, findDeletion: FindDeletion): Attribution {
  const version = (typeof before?.version === 'number' ? before.version : 0) + 1;
  const isPost = parseEntity(key)?.entity === 'post';
  return findDeletion(key, version) ?? { by: isPost ? SYSTEM : null, at: timestamp(), version };
}

/** Returns the key of the user or post that was deleted; undefined for other records. */
export function parseDeletedKey({ eventName, dynamodb }: DynamoDBRecord): Key | undefined {
  const key = parseKey(dynamodb?.Keys);
  return eventName === 'REMOVE' && parseEntity(key) ? key : undefined;
}

/** They say nothing about the user or post. */
const INTERNAL = ['pk', 'sk', 'directory', 'writeId'];

/** Picks the attributes that the write has replaced, null where there was none; all of a deleted item. */
function pickReplaced(old: Item, item: Item = {}): Item {
  const names = [...new Set([...Object.keys(old), ...Object.keys(item)])];
  const replaced = names.filter((name) => !INTERNAL.includes(name) && !isDeepStrictEqual(old[name], item[name]));
  return Object.fromEntries(replaced.map((name) => [name, old[name] ?? null]));
}

function parseEntity({ pk, sk }: Key): { entity: 'user' | 'post'; id: string } | undefined {
  if (!pk.startsWith('USER#')) return undefined;
  const userId = parseUserId(pk);
  if (sk === 'USER') return { entity: 'user', id: userId };
  return sk.startsWith('POST#') ? { entity: 'post', id: formatPostId({ pk, sk }) } : undefined;
}

/** Returns whose user or post was changed, and when it reached the stream; undefined for records of other items. */
export function parseOwner({ dynamodb }: DynamoDBRecord): { userId: string; streamedAt: number } | undefined {
  const key = parseKey(dynamodb?.Keys);
  if (!parseEntity(key)) return undefined;
  return { userId: parseUserId(key.pk), streamedAt: parseTime(dynamodb?.ApproximateCreationDateTime) };
}

/** Reads the item of a user before and after the write; returns undefined for records of other items. */
export function parseUserWrite({ dynamodb }: DynamoDBRecord): UserWrite | undefined {
  if (parseEntity(parseKey(dynamodb?.Keys))?.entity !== 'user') return undefined;
  return { before: parseImage(dynamodb?.OldImage), after: parseImage(dynamodb?.NewImage) };
}

/** Returns undefined for records that ask for no purge, which are all but those of deleted users and of purge records. */
export function parsePurge({ eventName, dynamodb }: DynamoDBRecord): Purge | undefined {
  const { pk, sk } = parseKey(dynamodb?.Keys);
  if (!pk.startsWith('USER#')) return undefined;
  const authorId = parseUserId(pk);
  if (eventName === 'REMOVE' && sk === userKey(authorId).sk) return { authorId, part: 0 };
  const part = sk === purgeKey(authorId).sk && parseImage(dynamodb?.NewImage)?.part;
  return typeof part === 'number' ? { authorId, part } : undefined;
}

function parseKey(keys: object | undefined): Key {
  const { pk, sk } = parseImage(keys) ?? {};
  return { pk: String(pk), sk: String(sk) };
}

/** The attribute values of Lambda's event types are those of the SDK under another name. */
const parseImage = (image: object | undefined): Item | undefined =>
  image && unmarshall(image as Record<string, AttributeValue>);

/** Returns milliseconds. Lambda gives seconds since 1970, the SDK a Date, and the AWS CLI, which the runbook redrives with, ISO 8601. */
function parseTime(time: number | Date | string = 0): number {
  return typeof time === 'number' ? time * 1000 : new Date(time).getTime();
}
