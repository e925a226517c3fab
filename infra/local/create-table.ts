import { CreateTableCommand, DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { tableSchema } from '../stack/table-schema.ts';

/** Creates the table, without its stream, at the endpoint that the environment names, unless it exists. */
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
            Projection: { ProjectionType: 'ALL' },
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
