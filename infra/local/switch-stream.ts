import {
  DescribeTableCommand,
  DynamoDBClient,
  type StreamSpecification,
  type TableDescription,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';

/** Enables the table's stream unless it is. Returns its ARN. */
export async function enableStream(TableName: string): Promise<string> {
  const table = await switchStream(TableName, { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
  if (!table?.LatestStreamArn) throw new Error(`the table ${TableName} has no stream`);
  return table.LatestStreamArn;
}

/** What is written until `enableStream` is in no stream. */
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
    // DynamoDB rejects the update of a stream that is as wanted.
    if (isEnabled === StreamSpecification.StreamEnabled) return Table;
    const { TableDescription } = await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
    return TableDescription;
  } finally {
    client.destroy();
  }
}
