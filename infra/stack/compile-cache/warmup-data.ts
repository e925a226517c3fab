import type { DynamoDBStreamEvent } from 'aws-lambda';

export const USER_ID = '01a1fc2b-6afb-746d-b0f3-2c7678fa44ac';

const time = { S: '2026-11-21T12:00:00.000Z' };

/** The one user of the stub database, as DynamoDB stores it. */
export const USER_ITEM = {
  pk: { S: `USER#${USER_ID}` },
  sk: { S: 'USER' },
  directory: { S: 'USERS' },
  name: { S: 'Ada Lovelace' },
  email: { S: 'ada@example.org' },
  createdAt: time,
  updatedAt: time,
  version: { N: '1' },
};

/** The creation of that user, as the table's stream delivers it. */
export const createStreamEvent = (): DynamoDBStreamEvent => ({
  Records: [
    {
      eventID: '1',
      eventName: 'INSERT',
      dynamodb: {
        Keys: { pk: USER_ITEM.pk, sk: USER_ITEM.sk },
        NewImage: USER_ITEM,
        SequenceNumber: '100000000000000000001',
        ApproximateCreationDateTime: Date.parse(time.S) / 1000,
      },
    },
  ],
});
