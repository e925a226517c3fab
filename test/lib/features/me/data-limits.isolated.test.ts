import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/person-fields.json';
});

const { putItems } = await import('../../../../lib/dynamodb/batch.ts');
const { postKey, userKey } = await import('../../../../lib/dynamodb/keys.ts');
const { changeKey } = await import('../../../../lib/features/change-log/keys.ts');
const { formatPosition, userTopic } = await import('../../../../lib/features/change-log/topics.ts');
const { readMyData } = await import('../../../../lib/features/me/data.ts');
const { parsePerson } = await import('../../../../lib/features/me/person.ts');
const { createMe } = await import('../../../../lib/features/me/write.ts');

const newPerson = (sub: string) =>
  parsePerson({ sub, iss: 'https://id.example.org', email: `${sub}@example.org`, email_verified: true });

const at = new Date().toISOString();

/** Writes the log directly, because this test runs no `on-change`. */
async function putChanges(id: string, sub: string, count: number, bio: string): Promise<void> {
  const attributes = { name: 'Ada', email: `${sub}@example.org`, createdAt: at, updatedAt: at, fields: { sub, bio } };
  await putItems(
    Array.from({ length: count }, (_, version) => ({
      ...changeKey(userTopic(id).name, formatPosition(version + 1)),
      ...{ kind: 'UPDATED', id, at, streamedAt: Date.parse(at), by: 'self', version },
      item: { ...userKey(id), ...attributes, version },
      before: { version: version - 1 },
    })),
  );
}

test('posts and changes that together exceed the limit of Lambda are cut, and the first member says so', async () => {
  const ada = newPerson('ada');
  const { id } = await createMe(ada, { name: 'Ada' });
  // JSON escapes each quote twice.
  const title = '"'.repeat(256);
  const posts = Array.from({ length: 3_000 }, () => ({ ...postKey(`${id}.${randomUUID()}`), title, version: 1 }));
  await putItems(posts);
  await putChanges(id, 'ada', 120, '"'.repeat(3_900));
  const data = await readMyData(ada);
  expect(data.missing.slice(-2)).toEqual([
    `Posts after the first ${data.posts.length}`,
    `Changes before the latest ${data.changes.length}`,
  ]);
  expect([data.posts.length > 1_500, data.changes.length > 60]).toEqual([true, true]);
  expect(data.changes[0]?.version).toBe(119);
  expect(Buffer.byteLength(JSON.stringify({ body: JSON.stringify(data) }))).toBeLessThan(6_000_000);
});

test('a download has at most 1000 changes, and says so', async () => {
  const bob = newPerson('bob');
  const { id } = await createMe(bob, { name: 'Bob' });
  await putChanges(id, 'bob', 1_001, '');
  const data = await readMyData(bob);
  expect(data.changes).toHaveLength(1_000);
  expect(data.missing.at(-1)).toBe('Changes before the latest 1000');
});
