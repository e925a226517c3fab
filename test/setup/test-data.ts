import { randomUUID } from 'node:crypto';

/** The address is also unused in the deployment under test. */
export function newPerson(): { name: string; email: string } {
  const unique = randomUUID();
  return { name: `Person ${unique.slice(0, 8)}`, email: `person.${unique}@example.org` };
}
