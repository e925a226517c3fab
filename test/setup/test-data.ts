import { randomUUID } from 'node:crypto';

/** The address is also unused in the deployment under test. The name never ends with a number: searches of numbers cost more. */
export function newPerson(): { name: string; email: string } {
  const unique = randomUUID();
  return { name: `Person x${unique.slice(0, 7)}`, email: `person.${unique}@example.org` };
}
