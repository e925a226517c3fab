import { signInOperation } from '../lib/features/me/rest-sign-in.ts';
import { signIn } from '../lib/features/me/sign-in.ts';
import { endpoint } from '../lib/rest/endpoint.ts';

export const handler = endpoint(signInOperation, ({ person, input }) => signIn(person, input));
