import { environment } from '../environment.ts';
import { type Claims, readGroups, readScopes } from './claims.ts';

/** `list` is to read users whom the caller does not name: lists, searches, and the changes of all users. */
export type Right = keyof typeof environment.scopes;

/** The scopes are named by rights. */
export const ALL_RIGHTS = Object.keys(environment.scopes) as Right[];

/** `scope` is what the token lacks, if that is what it lacks. */
export type Denial = { message: string; scope?: string };

const WRITES: readonly Right[] = ['write', 'erase'];

/**
 * Says why a token does not give a right. A scope is what its client may do. What a person may do is a group, if the
 * deployment names one, since everyone who can register there may sign in with the client.
 */
export function findDenial(claims: Claims, right: Right): Denial | undefined {
  const scope = environment.scopes[right];
  if (!readScopes(claims).has(scope)) return { message: `This requires the scope ${scope}`, scope };
  const { claim, read, write } = environment.groups;
  const required = WRITES.includes(right) ? write : read;
  if (!required || isClient(claims)) return undefined;
  const groups = readGroups(claims, claim);
  // Who may change users may read them.
  return [required, write].some((group) => group && groups.includes(group))
    ? undefined
    : { message: `This requires membership of the group ${required}` };
}

/** A client that acts on its own behalf is its own subject: RFC 9068 sections 2.2 and 5. */
const isClient = ({ sub, client_id }: Claims): boolean => sub !== undefined && sub === client_id;
