import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

const client = DynamoDBDocumentClient.from(new DynamoDBClient());

/** Sends one consistent GetItem, like get-user of the service. */
export async function findUser(id) {
  const Key = { pk: `USER#${id}`, sk: 'USER' };
  const { Item } = await client.send(new GetCommand({ TableName: process.env.TABLE_NAME, Key, ConsistentRead: true }));
  return Item && { id, name: Item.name, email: Item.email };
}
