import { randomUUID } from 'node:crypto';

/** Input for a new user with an unused email address, in this run and in the deployment under test. */
export function newPerson(): { name: string; email: string } {
  const unique = randomUUID();
  return { name: `Person ${unique.slice(0, 8)}`, email: `person.${unique}@example.org` };
}
