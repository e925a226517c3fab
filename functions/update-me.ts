import { updateMeOperation } from '../lib/features/me/rest-update-me.ts';
import { updateMe } from '../lib/features/me/write.ts';
import { endpoint } from '../lib/rest/endpoint.ts';

export const handler = endpoint(updateMeOperation, ({ person, input, conditions }) =>
  updateMe(person, input, conditions),
);
