import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import type { DynamoDBStreamEvent } from 'aws-lambda';

export const USER_ID = '01a1fc2b-6afb-746d-b0f3-2c7678fa44ac';

const time = { S: '2026-11-21T12:00:00.000Z' };

const USER_ITEM = {
  pk: { S: `USER#${USER_ID}` },
  sk: { S: 'USER' },
  directory: { S: 'USERS' },
  name: { S: 'Ada Lovelace' },
  email: { S: 'ada@example.org' },
  createdAt: time,
  updatedAt: time,
  version: { N: '1' },
};

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

const ConsumedCapacity = { TableName: 'users', CapacityUnits: 1 };

const ANSWERS: Record<string, (input: string) => object> = {
  GetItem: (input) => (input.includes(USER_ITEM.pk.S) ? { Item: USER_ITEM, ConsumedCapacity } : { ConsumedCapacity }),
  Query: (input) => {
    // `index-pages` finds no users, so it has nothing to index. Only its query has a ProjectionExpression.
    const Items = input.includes('"directory"') && !input.includes('ProjectionExpression') ? [USER_ITEM] : [];
    return { Items, Count: Items.length, ScannedCount: Items.length, ConsumedCapacity };
  },
  BatchGetItem: () => ({ Responses: { users: [] }, UnprocessedKeys: {}, ConsumedCapacity: [ConsumedCapacity] }),
  TransactWriteItems: () => ({ ConsumedCapacity: [ConsumedCapacity] }),
  UpdateItem: () => ({ Attributes: USER_ITEM, ConsumedCapacity }),
  PutItem: () => ({ ConsumedCapacity }),
  DeleteItem: () => ({ ConsumedCapacity }),
};

/** A DynamoDB that answers at once and stores nothing, so only the function takes time. */
export async function startStubDatabase() {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
      const body = JSON.stringify(ANSWERS[operation]?.(Buffer.concat(parts).toString()) ?? {});
      response
        .writeHead(200, {
          'content-type': 'application/x-amz-json-1.0',
          'content-length': Buffer.byteLength(body),
          'x-amzn-requestid': 'bench',
          'x-amz-crc32': crc32(body),
        })
        .end(body);
    });
  });
  server.keepAliveTimeout = 60_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // A TCP server's address is an AddressInfo.
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { endpoint, [Symbol.asyncDispose]: close };
}
