import { isDeepStrictEqual } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  paginateScan,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import type { Item, Key } from '../../../../lib/dynamodb/keys.ts';

/** The item from time `at` on. Undefined before its creation and after its deletion. */
type Version = { at: number; item: (Item & Key) | undefined };

/** Picks the version that a query shows. The last version is the newest. */
type Pick = (key: string, versions: Version[], query: QueryCommandInput) => Version | undefined;

type Keyed = { Item?: Key; Key?: Key };
type WriteInput = Keyed & {
  TransactItems?: Record<string, Keyed>[];
  RequestItems?: Record<string, Record<string, Keyed>[]>;
};

/** Simulates eventually consistent queries, which can show part of a transaction. Writes and single reads use the database. */
export class LaggingTable {
  readonly versions = new Map<string, Version[]>();
  pick: Pick = (_, versions) => versions.at(-1);
  readonly #database = DynamoDBDocumentClient.from(new DynamoDBClient());

  async attach(): Promise<void> {
    for await (const { Items = [] } of paginateScan({ client: this.#database }, { TableName, ConsistentRead: true }))
      for (const item of Items as (Item & Key)[]) this.#add(item, { at: 0, item });
    const send = table.send.bind(table);
    const sendOrAnswer = async (command: { input: object }, ...options: []) => {
      if (command instanceof QueryCommand) return this.#query(command.input);
      if (!/Write|Update|Put|Delete/.test(command.constructor.name)) return send(command as GetCommand, ...options);
      try {
        return await send(command as GetCommand, ...options);
      } finally {
        await this.#record(command.input);
      }
    };
    // Answers queries in `send`. A middleware would take twice as long, because the whole SDK runs as well.
    table.send = sendOrAnswer as typeof table.send;
  }

  detach(): void {
    Reflect.deleteProperty(table, 'send');
    this.#database.destroy();
  }

  async #record({ TransactItems, RequestItems = {}, ...single }: WriteInput): Promise<void> {
    const several = [...(TransactItems ?? []), ...Object.values(RequestItems).flat()];
    const writes: Keyed[] = [single, ...several.flatMap((write) => Object.values(write))];
    const keys = writes.flatMap((write) => write.Key ?? write.Item ?? []);
    for (const { pk, sk } of keys) {
      const { Item } = await this.#database.send(new GetCommand({ TableName, Key: { pk, sk }, ConsistentRead: true }));
      this.#add({ pk, sk }, { at: Date.now(), item: Item as Version['item'] });
    }
  }

  #add({ pk, sk }: Key, version: Version): void {
    const key = `${pk} ${sk}`;
    const versions = this.versions.get(key) ?? [{ at: 0, item: undefined }];
    this.versions.set(key, versions);
    if (!isDeepStrictEqual(versions.at(-1)?.item, version.item)) versions.push(version);
  }

  #query(query: QueryCommandInput) {
    const { ExclusiveStartKey, Limit = Number.POSITIVE_INFINITY, ScanIndexForward = true, IndexName } = query;
    const sortKey = IndexName ? 'pk' : 'sk';
    const shown = [...this.versions].flatMap(([key, versions]) => this.pick(key, versions, query)?.item ?? []);
    const order = ScanIndexForward ? 1 : -1;
    const matching = shown
      .filter((item) => matches(item, query))
      .sort((one, other) => (one[sortKey] < other[sortKey] ? -order : order))
      .filter((item) => !ExclusiveStartKey || isAfter(item[sortKey], ExclusiveStartKey[sortKey], ScanIndexForward));
    const Items = matching.slice(0, Limit);
    const last = Items.at(-1);
    const LastEvaluatedKey = matching.length > Items.length && last ? { pk: last.pk, sk: last.sk } : undefined;
    return { $metadata: {}, Items, Count: Items.length, LastEvaluatedKey };
  }
}

const isAfter = (text: string, start: string, forward: boolean) => (forward ? text > start : text < start);

function matches(
  item: Item & Key,
  { IndexName, KeyConditionExpression = '', ExpressionAttributeValues }: QueryCommandInput,
) {
  const value = (name = '') => ExpressionAttributeValues?.[name];
  if (IndexName) return item.directory === value(':directory') && item.pk <= (value(':lastId') ?? '~');
  if (item.pk !== value(':pk')) return false;
  const { low, high } = /BETWEEN (?<low>:\w+) AND (?<high>:\w+)/.exec(KeyConditionExpression)?.groups ?? {};
  if (low) return item.sk >= value(low) && item.sk <= value(high);
  const { operator, name } = /sk (?<operator>[<>]) (?<name>:\w+)/.exec(KeyConditionExpression)?.groups ?? {};
  if (operator) return operator === '<' ? item.sk < value(name) : item.sk > value(name);
  return true;
}
