import { cancelled, DatabaseError, type Reason, validation } from './errors.ts';
import type { Input } from './reads.ts';
import { readKey, type Store } from './store.ts';
import { prepare, type Write } from './writes.ts';

export type Transaction = { TransactItems: Record<string, Input>[]; ClientRequestToken?: string };

/** The transactions of the last ten minutes by their token: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
export type KnownTokens = Map<string, { at: number; input: string }>;

const TOKEN_LASTS = 600_000;

/** TransactWriteItems: all or nothing, and nothing where it was done already. */
export function transact(store: Store, tokens: KnownTokens, input: Transaction, at: number, by: string) {
  const { ClientRequestToken: token } = input;
  const known = token === undefined ? undefined : tokens.get(token);
  if (known && at - known.at < TOKEN_LASTS) {
    if (known.input !== JSON.stringify(input))
      throw new DatabaseError('IdempotentParameterMismatchException', 'The request uses the token of another one');
    return {};
  }
  store.commit(prepareAll(store, input), at, by);
  if (token !== undefined) tokens.set(token, { at, input: JSON.stringify(input) });
  return {};
}

function prepareAll(store: Store, { TransactItems }: Transaction): Write[] {
  const reasons: Reason[] = [];
  const writes: Write[] = [];
  const keys = new Set<string>();
  for (const [operation = '', input] of TransactItems.flatMap((item) => Object.entries(item))) {
    keys.add(JSON.stringify(readKey(input.Item ?? input.Key ?? {})));
    try {
      const prepared = prepare(store, operation, input);
      if (operation !== 'ConditionCheck') writes.push(prepared);
      reasons.push({ Code: 'None' });
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.name !== 'ConditionalCheckFailedException') throw error;
      const Item = error.body.Item as Reason['Item'];
      reasons.push({
        Code: 'ConditionalCheckFailed',
        Message: 'The conditional request failed',
        ...(Item ? { Item } : {}),
      });
    }
  }
  if (keys.size < TransactItems.length)
    throw validation('Transaction request cannot include multiple operations on one item');
  if (reasons.some(({ Code }) => Code !== 'None')) throw cancelled(reasons);
  return writes;
}
