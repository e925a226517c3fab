import { canonicalEmail } from '../../../lib/users/email.ts';
import { latest, type Store } from '../database/store.ts';
import type { Item } from '../database/values.ts';

/** What is wrong with the items that are left when all has settled: users, claims, posts. */
export function checkTable(store: Store): string[] {
  const items = [...store.all()].map(latest).filter((item) => item !== undefined);
  const of = (prefix: string, sk: string) =>
    items.filter((item) => key(item, 'pk').startsWith(prefix) && key(item, 'sk').startsWith(sk));
  const claims = new Map(
    of('EMAIL#', 'EMAIL').map((item) => [key(item, 'pk').slice('EMAIL#'.length), key(item, 'userId')]),
  );
  const users = of('USER#', 'USER');
  const ids = new Set(users.map((item) => key(item, 'pk').slice('USER#'.length)));
  const problems: string[] = [];
  for (const item of users) {
    const [id, email] = [key(item, 'pk').slice('USER#'.length), canonicalEmail(key(item, 'email'))];
    if (claims.get(email) !== id) problems.push(`user ${id} does not have the claim of ${email}`);
    claims.delete(email);
  }
  for (const [email, id] of claims) problems.push(`the claim of ${email} is left over from user ${id}`);
  for (const item of of('USER#', 'POST#'))
    if (!ids.has(key(item, 'pk').slice('USER#'.length))) problems.push(`the post ${key(item, 'sk')} has no author`);
  for (const item of of('USER#', 'PURGE')) problems.push(`the purge of ${key(item, 'pk')} has not ended`);
  return problems;
}

const key = (item: Item, name: string) => item[name]?.S ?? '';
