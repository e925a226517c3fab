import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  type StreamSpecification,
  type TableDescription,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { tableSchema } from '../../lib/dynamodb/keys.ts';

export const LOCAL_TABLE = 'users';

/** Skips an existing table. */
export async function createTable(TableName: string): Promise<void> {
  const client = new DynamoDBClient({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 },
  });
  const { partitionKey, sortKey, index } = tableSchema;
  try {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [...new Set([partitionKey, sortKey, index.partitionKey, index.sortKey])].map(
          (AttributeName) => ({ AttributeName, AttributeType: 'S' }),
        ),
        KeySchema: createKeySchema(partitionKey, sortKey),
        GlobalSecondaryIndexes: [
          {
            IndexName: index.name,
            KeySchema: createKeySchema(index.partitionKey, index.sortKey),
            Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...index.projection] },
          },
        ],
      }),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  } finally {
    client.destroy();
  }
}

const createKeySchema = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: 'HASH' as const },
  { AttributeName: range, KeyType: 'RANGE' as const },
];

export async function enableStream(TableName: string): Promise<string> {
  const table = await switchStream(TableName, { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
  if (!table?.LatestStreamArn) throw new Error(`the table ${TableName} has no stream`);
  return table.LatestStreamArn;
}

/** The stream omits items written until `enableStream`. */
export async function disableStream(TableName: string): Promise<void> {
  await switchStream(TableName, { StreamEnabled: false });
}

async function switchStream(
  TableName: string,
  StreamSpecification: StreamSpecification,
): Promise<TableDescription | undefined> {
  const client = new DynamoDBClient({});
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const isEnabled = Table?.StreamSpecification?.StreamEnabled ?? false;
    // DynamoDB rejects an update that changes nothing.
    if (isEnabled === StreamSpecification.StreamEnabled) return Table;
    const { TableDescription } = await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
    return TableDescription;
  } finally {
    client.destroy();
  }
}
