import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { loadUsers } from '../load.ts';

const DAY_MS = 24 * 3_600_000;

/** Loads users that were created yesterday, with the stream off: no records to consume, and faster. */
export async function loadUsersWithoutStream(users: number): Promise<void> {
  await setStream({ StreamEnabled: false });
  await loadUsers(0, users, Date.now() - DAY_MS);
  await setStream({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
}

const setStream = (StreamSpecification: UpdateTableCommand['input']['StreamSpecification']) =>
  table.send(new UpdateTableCommand({ TableName, StreamSpecification }));
