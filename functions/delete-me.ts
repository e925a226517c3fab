import { deleteMe } from '../lib/features/me/delete.ts';
import { deleteMeOperation } from '../lib/features/me/rest-delete-me.ts';
import { endpoint } from '../lib/rest/endpoint.ts';

export const handler = endpoint(deleteMeOperation, ({ person, conditions }) => deleteMe(person, conditions));
