import { createMeOperation } from '../lib/features/me/rest-create-me.ts';
import { createMe } from '../lib/features/me/write.ts';
import { endpoint } from '../lib/rest/endpoint.ts';

export const handler = endpoint(createMeOperation, ({ person, input }) => createMe(person, input));
