import { readMyData } from '../lib/features/me/data.ts';
import { getMyDataOperation } from '../lib/features/me/rest-get-my-data.ts';
import { endpoint } from '../lib/rest/endpoint.ts';

export const handler = endpoint(getMyDataOperation, ({ person }) => readMyData(person));
