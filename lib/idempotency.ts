import { createHash } from 'node:crypto';
import type { Caller } from './auth/caller.ts';
import { TableName } from './dynamodb/client.ts';
import type { ConditionFailure } from './dynamodb/conditional.ts';
import { type Item, requestKey } from './dynamodb/keys.ts';
import type { TransactItem } from './dynamodb/transact.ts';
import { environment } from './environment.ts';
import { idempotencyKeyReused, invalidInput } from './errors.ts';

/** A client's key for a request that it may repeat. It belongs to caller and operation, whichever API carried it. */
export type IdempotencyKey = { key: string; caller: string };

/** `field` is the name of the header or member that holds the key. Throws BAD_USER_INPUT if the caller is unknown. */
export function createIdempotencyKey(field: string, key: string, caller: Caller): IdempotencyKey {
  if (caller === undefined) throw invalidInput([field], 'requires a token with the claim sub or client_id');
  return { key, caller };
}

const RETENTION_SECONDS = 24 * 3600;

/** The first request with a key created it. */
export type FirstResult = { id: string; createdAt: string };

export type IdempotencyRecord = {
  /** The record as an item of the transaction that creates the entity. */
  item(created: FirstResult): TransactItem;
  /** Returns what the first request created. Throws IDEMPOTENCY_KEY_REUSED when its input was another one. */
  replay(failure: ConditionFailure): FirstResult;
};

/**
 * The record that makes a create safe to repeat. It is written in the transaction of the entity, so of many parallel
 * repetitions one succeeds, and the others learn what it created. `input` is the validated body: with id and time it
 * gives the whole first answer again, so the record holds no more than its hash.
 */
export function createIdempotencyRecord(
  operation: string,
  input: Record<string, unknown>,
  { key, caller }: IdempotencyKey,
): IdempotencyRecord {
  const Key = requestKey(hash(caller, operation, key));
  // The client's key, which is stored nowhere, keeps the hash from telling what was sent.
  const body = hash(
    key,
    ...Object.entries(input).flatMap(([name, value]) => (value == null ? [] : [name, JSON.stringify(value)])),
  );
  return {
    item: ({ id, createdAt }) => ({
      Put: {
        TableName,
        Item: { ...Key, id, createdAt, body, expiresAt: toSeconds(Date.parse(createdAt)) + RETENTION_SECONDS },
        // DynamoDB deletes expired items late.
        ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
        ExpressionAttributeValues: { ':now': toSeconds(environment.now()) },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    }),
    replay({ item }) {
      const first = parseRecord(item);
      if (first.body !== body) throw idempotencyKeyReused();
      return { id: first.id, createdAt: first.createdAt };
    },
  };
}

/** Parses without zod: functions that validate no input load this file with the engine of users/write.ts. */
function parseRecord({ pk, id, createdAt, body }: Item = {}): FirstResult & { body: string } {
  if (typeof id === 'string' && typeof createdAt === 'string' && typeof body === 'string')
    return { id, createdAt, body };
  throw new Error(`Invalid idempotency record ${pk}`);
}

const hash = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
const toSeconds = (ms: number) => Math.floor(ms / 1000);
