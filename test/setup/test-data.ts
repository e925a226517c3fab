import { randomUUID } from 'node:crypto';

/**
 * The address is unused, even in the deployment under test. The name never ends with a number, because searches of
 * numbers cost more.
 */
export function newPerson(): { name: string; email: string } {
  const unique = randomUUID();
  return { name: `Person x${unique.slice(0, 7)}`, email: `person.${unique}@example.org` };
}
