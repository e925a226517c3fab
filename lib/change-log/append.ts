import { TableName } from '../dynamodb/client.ts';
import { putItemIf } from '../dynamodb/conditional-writes.ts';
import { changeKey, changeLogHeadKey, type Item } from '../dynamodb/keys.ts';
import { AGAIN, retryOnConflict } from '../dynamodb/retry.ts';
import { type TransactItem, transact } from '../dynamodb/transactions.ts';
import { environment } from '../environment.ts';
import { allUsers, EPOCH, formatPosition, postsTopic, userTopic } from './topics.ts';

/** A user or a post was changed. `item` is the stored item as the change left it, null when it was deleted. */
export type Change = {
  entity: 'user' | 'post';
  kind: 'CREATED' | 'UPDATED' | 'DELETED';
  id: string;
  /** This is the id of the user itself, or of the author. */
  userId: string;
  /** The write happened at this time by the writer's clock, in ISO 8601. */
  at: string;
  /** The time when it reached the stream by DynamoDB's clock, in ms, rounded down: the change was made then or later. */
  streamedAt: number;
  item: Item | null;
  /** The search found the user by these before, if they have changed. */
  before?: { name: string; email: string; fields?: Readonly<Item> };
  /** The change has this sequence number in the table's stream, which rises from each change of an item to the next. */
  sequence: string;
};

/** A subscriber may resume from a cursor for this long. */
export const RETENTION_SECONDS = 24 * 3600;

/** Entries are kept longer, so that none disappears while it is read. */
const MARGIN_SECONDS = 3600;

/** Each change has one key, however often the stream delivers it. */
const userEntryKey = ({ userId, sequence }: Change) => changeKey(userTopic(userId).name, sequence);

const newEntry = (changes: Change[]) => ({
  changes: changes.map(({ entity, sequence, userId, ...change }) => change),
  expiresAt: Math.floor(environment.now() / 1000) + RETENTION_SECONDS + MARGIN_SECONDS,
});

/** Appends a change to the log of the author's posts; does nothing if it is there already. */
export async function appendPostChange(change: Change): Promise<void> {
  const key = changeKey(postsTopic(change.userId).name, change.sequence);
  await putItemIf({ Item: { ...key, ...newEntry([change]) }, ConditionExpression: 'attribute_not_exists(pk)' });
}

/**
 * An environment remembers of the log of all users the number that it last saw in the head, 0 for none. It may be
 * old, as other environments append too: the head's condition checks it.
 */
export type LogHead = { number: number };

type MissingChanges = Map<string, Change>;

/**
 * Appends changes, in their order, to the logs of their users and, as one entry, to the log of all users. Those that are
 * logged already are left out: the entry in the user's own log is written in the same transaction and shows it.
 */
export async function appendUserChanges(changes: Change[], head: LogHead): Promise<void> {
  let missing: MissingChanges = new Map(changes.map((change) => [JSON.stringify(userEntryKey(change)), change]));
  await retryOnConflict(async () => {
    // After a pause, the number is probably old: the first attempt finds out the current one, the second uses it.
    missing = await appendMissing(missing, head);
    missing = await appendMissing(missing, head);
    return missing.size === 0 ? undefined : AGAIN;
  });
}

/** Gives the changes that are still to be appended. */
async function appendMissing(missing: MissingChanges, head: LogHead): Promise<MissingChanges> {
  if (missing.size === 0) return missing;
  // A subscription finds its start by time. The time of the append is never before that of the change, whereas the
  // stream's time is rounded down, by DynamoDB to the second and by DynamoDB Local to the minute.
  const number = Math.max(head.number + 1, environment.now());
  const { failures } = await transact(createItems(missing, { previous: head.number, number }));
  if (!failures) {
    head.number = number;
    return new Map();
  }
  if (failures[HEAD]) head.number = Number(failures[HEAD].item?.number ?? 0);
  return new Map([...missing].filter(([name]) => !failures[name]));
}

const HEAD = 'head';

type Numbers = { previous: number; number: number };

/** The head makes appends follow each other: each raises its number, provided that no other has. */
function createItems(changes: MissingChanges, { previous, number }: Numbers): Record<string, TransactItem> {
  const entry = { ...newEntry([...changes.values()]), previous: formatPosition(previous) };
  return {
    [HEAD]: {
      Put: {
        TableName,
        Item: { ...changeLogHeadKey(EPOCH), number },
        ...(previous === 0
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : {
              ConditionExpression: '#number = :previous',
              ExpressionAttributeNames: { '#number': 'number' },
              ExpressionAttributeValues: { ':previous': previous },
            }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    all: { Put: { TableName, Item: { ...changeKey(allUsers.name, formatPosition(number)), ...entry } } },
    ...Object.fromEntries([...changes].map(([name, change]) => [name, putUserEntry(change)])),
  };
}

const putUserEntry = (change: Change): TransactItem => ({
  Put: {
    TableName,
    Item: { ...userEntryKey(change), ...newEntry([change]) },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});
