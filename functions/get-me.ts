import { getMe } from '../lib/features/me/read.ts';
import { getMeOperation } from '../lib/features/me/rest-get-me.ts';
import { endpoint } from '../lib/rest/endpoint.ts';

export const handler = endpoint(getMeOperation, ({ person, conditions }) => getMe(person, conditions));
