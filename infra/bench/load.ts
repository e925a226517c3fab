import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { putItems } from '../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import { DIRECTORY, userKey } from '../../lib/dynamodb/keys.ts';
import { isListKey } from '../../lib/features/filters/keys.ts';
import { sizes } from '../../lib/sizes.ts';
import { deriveItems, formatDerivedKey } from '../../lib/users/derived.ts';
import type { FieldValue } from '../../lib/users/fields/declaration.ts';
import { progressBar } from '../scripts/progress.ts';

const AT_ONCE = 4;

type LoadOptions = {
  apartMs?: number;
  /** Undefined: the user has no values and no entries. */
  createFields?: (number: number) => Record<string, FieldValue> | undefined;
};

/** Omits uniqueness claims and search entries, with which loading would take five times as long. */
export async function loadUsers(
  have: number,
  count: number,
  firstAt: number,
  { apartMs = 1, createFields }: LoadOptions = {},
): Promise<void> {
  const show = progressBar('users loaded', count - have);
  let next = have;
  const load = async () => {
    while (next < count) {
      const numbers = Array.from({ length: Math.min(sizes.batchWrite, count - next) }, (_, at) => next + at);
      next += numbers.length;
      const createItems = (number: number) =>
        listItems(number, Math.floor(firstAt + number * apartMs), createFields?.(number));
      await putItems(numbers.flatMap(createItems));
      show(next - have);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, load));
}

function listItems(number: number, milliseconds: number, fields?: Record<string, FieldValue>) {
  const at = new Date(milliseconds).toISOString();
  const id = uuidv7({ msecs: milliseconds });
  const values = { name: `Ada Lovelace ${number}`, email: `ada.${number}@example.com` };
  const keys = deriveItems({ id, ...values, own: fields ?? {} }).map(({ key }) => key);
  const derived = keys.map((key) => formatDerivedKey(key, id));
  const user = { ...userKey(id), directory: DIRECTORY, ...values, createdAt: at, updatedAt: at, version: 1, derived };
  return fields ? [{ ...user, fields }, ...keys.filter(isListKey)] : [user];
}

const DAY_MS = 24 * 3_600_000;

/** Turns the stream off while loading: loading is faster, and later consumers do not receive these users. */
export async function loadUsersWithoutStream(users: number, options?: LoadOptions): Promise<void> {
  await setStream({ StreamEnabled: false });
  await loadUsers(0, users, Date.now() - DAY_MS, options);
  await setStream({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
}

const setStream = (StreamSpecification: UpdateTableCommand['input']['StreamSpecification']) =>
  table.send(new UpdateTableCommand({ TableName, StreamSpecification }));
