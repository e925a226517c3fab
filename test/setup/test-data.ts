import { randomUUID } from 'node:crypto';

/** Returns input for a new user. The email address is random, so it is unused in this run and in the deployment under test. */
export function newPerson(): { name: string; email: string } {
  const unique = randomUUID();
  return { name: `Person ${unique.slice(0, 8)}`, email: `person.${unique}@example.org` };
}
