// Every runtime and browser runs this file without compilation.
import { createClient, isChanged } from 'user-management-client';

const MAX_MS = 120_000;

/** Two of three changes happen after the stream opened. */
export async function useClient(baseUrl) {
  const { users, changes } = createClient({ baseUrl });
  const email = `${crypto.randomUUID()}@example.org`;
  const created = await users.create({ name: 'Ada Lovelace', email });
  const listed = [];
  for await (const { id } of users.list({ pageSize: 2, signal: AbortSignal.timeout(MAX_MS) })) listed.push(id);
  const kinds = [];
  let error;
  const minuteAgo = new Date(Date.now() - 60_000).toISOString();
  for await (const { kind } of changes({ user: created.id, after: minuteAgo, signal: AbortSignal.timeout(MAX_MS) })) {
    kinds.push(kind);
    if (kind === 'CREATED') {
      await users.update(created.id, { name: 'Ada Byron' });
      error = await users.update(created, { name: 'Ada King' }).catch((error) => error);
    }
    if (kind === 'UPDATED') await users.delete(created.id);
    if (kind === 'DELETED') break;
  }
  return { isListed: listed.includes(created.id), isConflict: isChanged(error), version: error?.version, kinds };
}
