import { DescribeTableCommand, DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';

/** Enables the table's stream unless it is. Returns its ARN. */
export async function enableStream(TableName: string): Promise<string> {
  const client = new DynamoDBClient({});
  try {
    const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } as const;
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const enabled = Table?.StreamSpecification?.StreamEnabled
      ? Table
      : (await client.send(new UpdateTableCommand({ TableName, StreamSpecification }))).TableDescription;
    if (!enabled?.LatestStreamArn) throw new Error(`the table ${TableName} has no stream`);
    return enabled.LatestStreamArn;
  } finally {
    client.destroy();
  }
}

/** What is written until `enableStream` is in no stream. */
export async function disableStream(TableName: string): Promise<void> {
  const client = new DynamoDBClient({});
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    if (!Table?.StreamSpecification?.StreamEnabled) return;
    await client.send(new UpdateTableCommand({ TableName, StreamSpecification: { StreamEnabled: false } }));
  } finally {
    client.destroy();
  }
}
