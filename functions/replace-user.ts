import { omitDeletedGroupsOf } from '../lib/features/groups/memberships.ts';
import { endpoint } from '../lib/rest/endpoint.ts';
import { replaceUserOperation } from '../lib/rest/operations/replace-user.ts';
import { upsertUserOperation } from '../lib/rest/operations/upsert-user.ts';
import { upsertUser } from '../lib/users/upsert.ts';
import { replaceUser } from '../lib/users/write.ts';

const replace = endpoint(replaceUserOperation, async (request, by) =>
  omitDeletedGroupsOf(await replaceUser(request, by)),
);
const upsert = endpoint(upsertUserOperation, async (request, by) => {
  const upserted = await upsertUser(request, by);
  return { ...upserted, user: await omitDeletedGroupsOf(upserted.user) };
});

export const handler: typeof replace = (event, context) =>
  (event.routeKey.endsWith(replaceUserOperation.path) ? replace : upsert)(event, context);
