import { beforeAll, describe, expect, test, vi } from 'vitest';
import { ALL_RIGHTS, type Right } from '../../../../lib/auth/caller.ts';
import { issuer, service, startServiceBeforeAll } from '../../auth/service-with-tokens.ts';

const ID = '01890000-0000-7000-8000-000000000000';

const documents: [document: string, ...rights: Right[]][] = [
  [`{ group(id: "${ID}") { id name } }`, 'read'],
  ['{ groupByExternalId(externalId: "org") { id } }', 'read'],
  ['{ groups(first: 1) { nodes { id } } }', 'read', 'list'],
  ['mutation { createGroup(input: { name: "" }) { group { id } } }', 'write'],
  [`mutation { updateGroup(input: { id: "${ID}" }) { group { id } } }`, 'write'],
  [`mutation { deleteGroup(input: { id: "${ID}" }) { id } }`, 'write'],
  [`mutation { addMember(input: { groupId: "${ID}", userId: "${ID}" }) { user { id } } }`, 'write'],
  [`mutation { updateMember(input: { groupId: "${ID}", userId: "${ID}", role: "admin" }) { user { id } } }`, 'write'],
  [`mutation { removeMember(input: { groupId: "${ID}", userId: "${ID}" }) { user { id } } }`, 'write'],
];

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/member-fields.json';
});

beforeAll(() => {
  vi.spyOn(console, 'info').mockImplementation(() => {});
  vi.stubEnv('AUTH_LIST_SCOPE', 'users:list');
});
startServiceBeforeAll();

async function send(query: string, rights: readonly Right[]): Promise<string> {
  const token = await issuer.sign({ scope: rights.map((right) => `users:${right}`).join(' ') });
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  return response.text();
}

const isForbidden = (text: string) => text.includes('"FORBIDDEN"');

describe('the rights of groups', () => {
  test.each(documents)('%s is allowed with its rights, and forbidden without one', async (query, ...required) => {
    expect(isForbidden(await send(query, required))).toBe(false);
    for (const right of required)
      expect(
        isForbidden(
          await send(
            query,
            ALL_RIGHTS.filter((other) => other !== right),
          ),
        ),
      ).toBe(true);
  });

  test('members of a group need the right to list', async () => {
    const created = await send('mutation { createGroup(input: { name: "Acme" }) { group { id } } }', ['write']);
    const { id } = JSON.parse(created).data.createGroup.group;
    const query = `{ group(id: "${id}") { name members { nodes { id } } } }`;
    expect(isForbidden(await send(query, ['read']))).toBe(true);
    expect(JSON.parse(await send(query, ['read', 'list'])).data.group).toEqual({
      name: 'Acme',
      members: { nodes: [] },
    });
    const write = `mutation { updateGroup(input: { id: "${id}" }) { group { members { nodes { id } } } } }`;
    expect(isForbidden(await send(write, ['read', 'write']))).toBe(true);
  });
});
