import { createHash } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Caller } from './auth/caller.ts';
import { TableName, table } from './dynamodb/client.ts';
import type { ConditionFailure } from './dynamodb/conditional.ts';
import { type Item, requestKey } from './dynamodb/keys.ts';
import type { TransactItem } from './dynamodb/transact.ts';
import { environment } from './environment.ts';
import { idempotencyKeyReused, invalidInput } from './errors.ts';
import { formatCanonicalJson } from './input/json-equality.ts';

/** Keys are separate per caller and operation. REST and GraphQL share the keys of a caller. */
export type IdempotencyKey = { key: string; caller: string };

/** `field`: header or input member. Throws BAD_USER_INPUT if the caller is unknown. */
export function createIdempotencyKey(field: string, key: string, caller: Caller): IdempotencyKey {
  if (caller === undefined) throw invalidInput([field], 'requires a token with the claim sub or client_id');
  return { key, caller };
}

const RETENTION_SECONDS = 24 * 3600;

type FirstResult = { id: string; createdAt: string };

export type IdempotencyRecord = {
  item(created: FirstResult): TransactItem;
  /** Throws IDEMPOTENCY_KEY_REUSED if the first request had another input. */
  replay(failure: ConditionFailure): FirstResult;
  /** Reads the record. Undefined if there is none. Throws IDEMPOTENCY_KEY_REUSED like `replay`. */
  find(): Promise<FirstResult | undefined>;
};

/**
 * Creates a record for the transaction that writes the entity, which makes a creation safe to repeat. If requests with
 * the same key run in parallel, one succeeds, and the others find its result. Holds only id, time and a hash of
 * `input`, the validated body: with a repeated input, they give the whole first answer.
 */
export function createIdempotencyRecord(
  operation: string,
  input: Record<string, unknown>,
  { key, caller }: IdempotencyKey,
): IdempotencyRecord {
  const Key = requestKey(hash(caller, operation, key));
  // A creation treats null like an absent member.
  const members = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
  // Salted with the client's key, which is never stored, so the hash reveals nothing.
  const body = hash(key, formatCanonicalJson(members));
  return {
    item: ({ id, createdAt }) => ({
      Put: {
        TableName,
        Item: { ...Key, id, createdAt, body, expiresAt: toSeconds(environment.now()) + RETENTION_SECONDS },
        // Replace expired records, because DynamoDB may delete them days later.
        ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
        ExpressionAttributeValues: { ':now': toSeconds(environment.now()) },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    }),
    replay: ({ item }) => replay(item),
    async find() {
      const { Item } = await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item && Number(Item.expiresAt) > toSeconds(environment.now()) ? replay(Item) : undefined;
    },
  };

  function replay(item: Item | undefined): FirstResult {
    const first = parseRecord(item);
    if (first.body !== body) throw idempotencyKeyReused();
    return { id: first.id, createdAt: first.createdAt };
  }
}

/** Avoids zod: users/write.ts also runs in functions without input validation. */
function parseRecord({ pk, id, createdAt, body }: Item = {}): FirstResult & { body: string } {
  if (typeof id === 'string' && typeof createdAt === 'string' && typeof body === 'string')
    return { id, createdAt, body };
  throw new Error(`Invalid idempotency record ${pk}`);
}

const hash = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
const toSeconds = (ms: number) => Math.floor(ms / 1000);
