import { endpoint } from '../lib/rest/endpoint.ts';
import { replaceUserOperation } from '../lib/rest/operations/replace-user.ts';
import { replaceUser } from '../lib/users/write.ts';

export const handler = endpoint(replaceUserOperation, replaceUser);
