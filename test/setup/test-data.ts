import { randomUUID } from 'node:crypto';

/** Input for a new user whose email address no other user has, in this run or in the deployment under test. */
export function newPerson(): { name: string; email: string } {
  const unique = randomUUID();
  return { name: `Person ${unique.slice(0, 8)}`, email: `person.${unique}@example.org` };
}
