import { createHash } from 'node:crypto';
import * as z from 'zod';
import { ServiceError } from './errors.ts';
import { requestKey } from './dynamodb/keys.ts';
import { type ConditionFailure, TableName, type Write } from './dynamodb/table.ts';

/** A client's key for a request that it may repeat; it belongs to the caller and the operation, at whichever door. */
export type IdempotencyKey = { key: string; caller: string };

/** Visible ASCII, so that it means the same in a header and in a GraphQL input. */
export const idempotencyKey = z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters');

const HOURS_KEPT = 24;
const stored = z.object({ id: z.string(), createdAt: z.string(), body: z.string() });

const hash = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
const seconds = (date: number) => Math.floor(date / 1000);

/**
 * The record that makes a create safe to repeat. It is written in the transaction of what it stands for; being
 * conditional, it lets one of many parallel repetitions through and tells the others what that one made. `input` is
 * the validated body: with the id and the time it gives back the whole first answer, so the record holds no more.
 */
export function idempotencyRecord(
  operation: string,
  input: Record<string, unknown>,
  retry: IdempotencyKey | undefined,
) {
  if (!retry) return { record: () => [], first: () => undefined };
  const key = requestKey(hash(retry.caller, operation, retry.key));
  const body = hash(...Object.entries(input).flatMap(([name, value]) => (value == null ? [] : [name, String(value)])));
  return {
    record: ({ id, createdAt }: { id: string; createdAt: string }): Write[] => [
      {
        Put: {
          TableName,
          Item: { ...key, id, createdAt, body, expiresAt: seconds(Date.parse(createdAt)) + HOURS_KEPT * 3600 },
          // DynamoDB removes expired items late; until then they count as gone.
          ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
          ExpressionAttributeValues: { ':now': seconds(Date.now()) },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
    ],
    /** What the first request made. Throws `key-reused` where it asked for something else. */
    first(refusal: ConditionFailure | undefined) {
      if (!refusal) return undefined;
      const first = stored.parse(refusal.item);
      if (first.body !== body) throw new ServiceError('key-reused', 'This idempotency key was used with another body');
      return first;
    },
  };
}
