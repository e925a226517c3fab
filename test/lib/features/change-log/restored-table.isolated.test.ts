import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createTable } from '../../../../infra/local/table.ts';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import { type Item, userKey } from '../../../../lib/dynamodb/keys.ts';
import { createCursorAtEnd, encodeLogCursor } from '../../../../lib/features/change-log/cursor.ts';
import { epochKey } from '../../../../lib/features/change-log/keys.ts';
import { allUsers, formatPosition, type Topic, userTopic } from '../../../../lib/features/change-log/topics.ts';
import { append, newChange, newEnd } from './changes.ts';

const original = TableName;
let restores = 0;

afterEach(() => {
  process.env.TABLE_NAME = original;
  vi.resetModules();
});

/**
 * Copies the table without the items for which `isLost` is true. A real restore may lose part of a transaction, or the
 * items of the last second.
 */
async function restore(isLost: (item: Item) => boolean = () => false): Promise<void> {
  const { Items = [] } = await table.send(new ScanCommand({ TableName: process.env.TABLE_NAME }));
  process.env.TABLE_NAME = `${original}-restored-${++restores}`;
  await createTable(process.env.TABLE_NAME);
  for (const Item of Items.filter((item) => !isLost(item)))
    await table.send(new PutCommand({ TableName: process.env.TABLE_NAME, Item }));
  vi.resetModules();
}

/** Restores a table that lacks the last entry of an append. */
async function switchToRestoredTable() {
  const { Items = [] } = await table.send(new ScanCommand({ TableName }));
  const lost = Items.findLast(({ pk, previous }) => pk.startsWith('CHANGES') && previous);
  await restore(({ pk, sk }) => lost?.pk === pk && lost?.sk === sk);
  const { appendChanges } = await import('../../../../lib/features/change-log/append.ts');
  const { decodeLogCursor } = await import('../../../../lib/features/change-log/cursor.ts');
  const { readChanges } = await import('../../../../lib/features/change-log/read.ts');
  const { allUsers, MIN_POSITION, userTopic } = await import('../../../../lib/features/change-log/topics.ts');
  const read = async (topic: Topic) => {
    const kinds: string[] = [];
    for await (const { change } of readChanges(topic, { watermark: MIN_POSITION, offset: 0 }))
      if (change) kinds.push(change.kind);
    return kinds;
  };
  return { appendChanges, decodeLogCursor, read, allUsers, userTopic };
}

test('a restored table starts a new log and rejects the cursors of the old one', async () => {
  const oldStream = { kind: 'CREATED', sequence: formatPosition(9_000) } as const;
  await append([newChange('ada', oldStream)]);
  const cursors = await Promise.all(
    [userTopic('ada'), allUsers].map(async (topic) => encodeLogCursor(topic, await createCursorAtEnd(topic))),
  );

  const restored = await switchToRestoredTable();
  await restored.appendChanges([newChange('ada', { kind: 'UPDATED', sequence: formatPosition(1) })], newEnd());
  const topics = [restored.userTopic('ada'), restored.allUsers];
  expect(await Promise.all(topics.map(restored.read))).toEqual([['UPDATED'], ['UPDATED']]);
  for (const [index, topic] of topics.entries())
    expect(() => restored.decodeLogCursor(topic, cursors[index] ?? '')).toThrow('must be a cursor of these changes');
});

async function startService() {
  const { fetchData, mutate } = await import('../../graphql/client.ts');
  const { findItem, logChange, logWrite } = await import('../../on-change/log-write.ts');
  const { erasureJob } = await import('../../../../lib/features/erasure/job.ts');
  const { runJobs } = await import('../../../../lib/maintenance/run.ts');
  const { environment } = await import('../../../../lib/environment.ts');
  return {
    async create(name: string): Promise<string> {
      const { payload, text } = await mutate('createUser', { name, email: `${crypto.randomUUID()}@example.org` });
      if (!payload) throw new Error(text);
      await logChange(undefined, await findItem(userKey(payload.user.id)));
      return payload.user.id;
    },
    rename: (id: string, name: string) => logWrite(userKey(id), () => mutate('updateUser', { id, name })),
    erase: (id: string) => logWrite(userKey(id), () => mutate('deleteUser', { id, erase: true })),
    async readHistory(id: string, first = 20, after: string | null = null) {
      const query = `query ($id: ID!, $first: Int, $after: String) {
        userHistory(id: $id, first: $first, after: $after) { nodes { version after { name } } pageInfo { endCursor } }
      }`;
      type Node = { version: number; after: { name: string } | null };
      type Data = { userHistory: { nodes: Node[]; pageInfo: { endCursor: string } } };
      const { userHistory } = await fetchData<Data>(query, { id, first, after });
      const shown = userHistory.nodes.map(({ version, after }) => [version, after?.name]);
      return { shown, endCursor: userHistory.pageInfo.endCursor };
    },
    delete: (id: string) => logWrite(userKey(id), () => mutate('deleteUser', { id })),
    async readDeletedUsers(first = 20, after: string | null = null) {
      const query = `query ($first: Int, $after: String) {
        deletedUsers(first: $first, after: $after) { nodes { user { name } } pageInfo { hasNextPage endCursor } }
      }`;
      type Page = { nodes: { user: { name: string } }[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
      const { nodes, pageInfo } = (await fetchData<{ deletedUsers: Page }>(query, { first, after })).deletedUsers;
      return { names: nodes.map(({ user }) => user.name), ...pageInfo };
    },
    /** Runs the job ten minutes later, when it no longer expects late stream records. */
    async completeErasures(): Promise<void> {
      const { now } = environment;
      environment.now = () => now() + 10 * 60_000;
      // One run empties the logs, the next one completes the erasures.
      for (let run = 0; run < 2; run++) await runJobs([erasureJob], () => true);
      environment.now = now;
    },
    async findErasure(id: string) {
      const query = 'query ($id: ID!) { erasure(id: $id) { completedAt } }';
      return (await fetchData<{ erasure: { completedAt: string | null } | null }>(query, { id })).erasure;
    },
    async findTraces(id: string, words: string[]): Promise<string[]> {
      const { Items = [] } = await table.send(new ScanCommand({ TableName: process.env.TABLE_NAME }));
      const texts = Items.map((item) => JSON.stringify(item).toLowerCase());
      return texts.filter((text) => text.includes(id) && words.some((word) => text.includes(word)));
    },
  };
}

describe('data that outlives a table is found in a table restored from it', () => {
  test('the history has the changes of both tables, across pages and several restores', async () => {
    const first = await startService();
    const id = await first.create('One');
    await first.rename(id, 'Two');
    const { endCursor } = await first.readHistory(id, 1);
    await restore();
    const second = await startService();
    expect((await second.readHistory(id)).shown).toEqual([
      [2, 'Two'],
      [1, 'One'],
    ]);
    expect((await second.readHistory(id, 1, endCursor)).shown).toEqual([[1, 'One']]);
    await second.rename(id, 'Three');
    await restore();
    const third = await startService();
    await third.rename(id, 'Four');
    const names: unknown[] = [];
    for (let after: string | null = null, page = 0; page < 4; page++) {
      const read = await third.readHistory(id, 1, after);
      names.push(...read.shown);
      after = read.endCursor;
    }
    expect(names).toEqual([
      [4, 'Four'],
      [3, 'Three'],
      [2, 'Two'],
      [1, 'One'],
    ]);
  });

  test('deleted users of both tables are listed, across pages', async () => {
    const first = await startService();
    for (const name of ['One', 'Two']) await first.delete(await first.create(name));
    await restore();
    const second = await startService();
    await second.delete(await second.create('Three'));
    expect((await second.readDeletedUsers()).names.slice(0, 3)).toEqual(['Three', 'Two', 'One']);
    const { names, endCursor } = await second.readDeletedUsers(2);
    expect(names).toEqual(['Three', 'Two']);
    expect((await second.readDeletedUsers(1, endCursor)).names).toEqual(['One']);
  });

  test('an erasure completes only when no former log contains the personal data', async () => {
    const before = await startService();
    const id = await before.create('Zebedee');
    await before.rename(id, 'Quillfeather');
    await restore();
    const after = await startService();
    await after.erase(id);
    const words = ['zebedee', 'quillfeather'];
    expect(await after.findTraces(id, words)).not.toEqual([]);
    await after.completeErasures();
    expect(await after.findErasure(id)).toEqual({ completedAt: expect.any(String) });
    expect(await after.findTraces(id, words)).toEqual([]);
    expect((await after.readHistory(id)).shown.map(([version]) => version)).toEqual([3, 2, 1]);
  });

  test('a user deleted in the former table can be erased', async () => {
    const before = await startService();
    const id = await before.create('Zebedee');
    const { logWrite } = await import('../../on-change/log-write.ts');
    const { mutate } = await import('../../graphql/client.ts');
    await logWrite(userKey(id), () => mutate('deleteUser', { id }));
    // Lose the deletion record, as if it had expired.
    await restore(({ pk, sk }) => pk === userKey(id).pk && sk === 'DELETED');
    const after = await startService();
    expect(
      (await (await import('../../graphql/client.ts')).mutate('deleteUser', { id, erase: true })).errors,
    ).toBeUndefined();
    await after.completeErasures();
    expect(await after.findErasure(id)).toEqual({ completedAt: expect.any(String) });
    expect(await after.findTraces(id, ['zebedee'])).toEqual([]);
  });

  test('check-table registers a log from before epochs were registered', async () => {
    const before = await startService();
    const id = await before.create('One');
    await restore(({ pk }) => pk === epochKey().pk);
    const { checkTable } = await import('../../../../infra/scripts/table-consistency.ts');
    expect((await checkTable()).found).toMatchObject({ 'change log that is not listed': 1 });
    await checkTable({ repair: 'rebuild' });
    expect((await checkTable()).found).not.toHaveProperty('change log that is not listed');
    expect((await (await startService()).readHistory(id)).shown).toEqual([[1, 'One']]);
  });
});
