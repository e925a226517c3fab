import type { Item } from './store.ts';

export type Reason = { Code: string; Message?: string; Item?: Item | undefined };

/** An error as DynamoDB sends it. */
export class DatabaseError extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;

  constructor(name: string, message: string, more: Record<string, unknown> = {}, status = 400) {
    super(message);
    this.name = name;
    this.status = status;
    this.body = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, Message: message, ...more };
  }
}

export const validation = (message: string) => new DatabaseError('ValidationException', message);

export const conditionFailed = (Item: Item | undefined) =>
  new DatabaseError('ConditionalCheckFailedException', 'The conditional request failed', Item ? { Item } : {});

export const cancelled = (CancellationReasons: Reason[]) =>
  new DatabaseError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${CancellationReasons.map(({ Code }) => Code).join(', ')}]`,
    { CancellationReasons },
  );
