import { addLogin } from '../lib/features/me/logins.ts';
import { addLoginOperation } from '../lib/features/me/rest-add-login.ts';
import { endpoint } from '../lib/rest/endpoint.ts';

export const handler = endpoint(addLoginOperation, ({ person, input }) => addLogin(person, input.token));
