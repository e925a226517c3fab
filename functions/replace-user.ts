import { endpoint } from '../lib/rest/endpoint.ts';
import { replaceUserOperation } from '../lib/rest/operations/replace-user.ts';
import { upsertUserOperation } from '../lib/rest/operations/upsert-user.ts';
import { upsertUser } from '../lib/users/upsert.ts';
import { replaceUser } from '../lib/users/write.ts';

const replace = endpoint(replaceUserOperation, replaceUser);
const upsert = endpoint(upsertUserOperation, (request, by) => upsertUser(request, by));

export const handler: typeof replace = (event, context) =>
  (event.routeKey.endsWith(replaceUserOperation.path) ? replace : upsert)(event, context);
