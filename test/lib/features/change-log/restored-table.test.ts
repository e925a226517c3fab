import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test, vi } from 'vitest';
import { createTable } from '../../../../infra/local/table.ts';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import { createCursorAtEnd, encodeLogCursor } from '../../../../lib/features/change-log/cursor.ts';
import { allUsers, formatPosition, type Topic, userTopic } from '../../../../lib/features/change-log/topics.ts';
import { append, newChange, newEnd } from './changes.ts';

/** The code as it runs after the stack has switched to a restored table, with what a restore leaves of an append. */
async function switchToRestoredTable() {
  const { Items = [] } = await table.send(new ScanCommand({ TableName }));
  const entriesOfAllUsers = Items.filter(({ pk, previous }) => pk.startsWith('CHANGES') && previous);
  const lost = entriesOfAllUsers.at(-1);
  process.env.TABLE_NAME = `${TableName}-restored`;
  await createTable(process.env.TABLE_NAME);
  for (const Item of Items.filter((item) => item !== lost))
    await table.send(new PutCommand({ TableName: process.env.TABLE_NAME, Item }));
  vi.resetModules();
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

test('a restored table starts a new log, whatever the restore contains of the old one, and rejects its cursors', async () => {
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
    expect(() => restored.decodeLogCursor(topic, cursors[index] ?? '')).toThrow(
      'must be a cursor of this subscription',
    );
});
