import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { table } from '../../../lib/dynamodb/client.ts';
import { formatPostId, newPostKey, userKey } from '../../../lib/dynamodb/keys.ts';
import { retryOnConflict, withDeadline } from '../../../lib/dynamodb/requests.ts';
import { deletePost, updatePost } from '../../../lib/posts/write.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import { updateUser } from '../../../lib/users/write.ts';

const database = mockClient(table);
afterAll(() => database.restore());
beforeEach(() => database.reset());

const id = uuidv7();
const postKey = newPostKey(id, uuidv7());
const now = new Date().toISOString();
const user = { ...userKey(id), name: 'Ada', email: 'ada@example.org', createdAt: now, updatedAt: now, version: 1 };
const post = { ...postKey, title: 'On Engines', publishedAt: null, version: 1 };

/** Every transaction is cancelled for the reason `Code`, and conflicts with every single write. */
function block(Code: string): void {
  for (const Item of [user, post]) database.on(GetCommand, { Key: { pk: Item.pk, sk: Item.sk } }).resolves({ Item });
  const cancelled = { message: 'cancelled', $metadata: { attempts: 1 }, CancellationReasons: [{ Code }] };
  database.on(TransactWriteCommand).rejects(new TransactionCanceledException(cancelled));
  database.on(UpdateCommand).rejects(new TransactionConflictException({ message: 'ongoing', $metadata: {} }));
}

test.each([
  ['a change of email', () => updateUser({ id, email: 'new@example.org' }, 'test')],
  ['a deletion of a user', () => deleteUser({ id }, 'test')],
  ['a change of a post', () => updatePost({ id: formatPostId(postKey), title: 'New' }, 'test')],
  ['a deletion of a post', () => deletePost({ id: formatPostId(postKey) }, 'test')],
])('%s that conflicts with others until the deadline is CONFLICT, not SERVICE_UNAVAILABLE', async (_, write) => {
  block('TransactionConflict');
  await expect(withDeadline(50, write)).rejects.toMatchObject({ code: 'CONFLICT', message: /Other requests/ });
});

test('a deletion of a post that DynamoDB throttles until the deadline is SERVICE_UNAVAILABLE', async () => {
  block('ThrottlingError');
  const write = () => deletePost({ id: formatPostId(postKey) }, 'test');
  await expect(withDeadline(50, write)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('a job without a deadline retries for as long as a request', async () => {
  vi.stubEnv('REQUEST_TIME_LIMIT_MS', '50');
  const retries = retryOnConflict(async () => 'retry');
  vi.unstubAllEnvs();
  await expect(retries).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});
