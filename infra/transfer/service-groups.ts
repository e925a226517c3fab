import type { Client, Group, TypedDocument } from '../../lib/client/client.ts';
import type { GroupNames } from './memberships.ts';

/** The service's limit of aliases per document. */
export const MAX_ALIASES = 15;

/** Finds groups with one request for up to 15 names. Skips names that no group has. */
export async function findGroups(client: Client, { ids, externalIds }: GroupNames): Promise<Group[]> {
  const all = [
    ...ids.map((name) => ({ field: 'group(id', type: 'ID!', name })),
    ...externalIds.map((name) => ({ field: 'groupByExternalId(externalId', type: 'String!', name })),
  ];
  const found: Group[] = [];
  for (let at = 0; at < all.length; at += MAX_ALIASES) {
    const part = all.slice(at, at + MAX_ALIASES);
    const variables = Object.fromEntries(part.map(({ name }, index) => [`name${index}`, name]));
    const parameters = part.map(({ type }, index) => `$name${index}: ${type}`).join(', ');
    const fields = part.map(({ field }, index) => `group${index}: ${field}: $name${index}) { ...GroupFields }`);
    const query: TypedDocument<
      Record<string, Group | null>,
      Record<string, string>
    > = `query FindGroups(${parameters}) { ${fields.join(' ')} }
fragment GroupFields on Group { id name externalId createdAt updatedAt version }`;
    found.push(...Object.values(await client.graphql(query, variables)).filter((group) => group !== null));
  }
  return found;
}
