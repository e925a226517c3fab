import type { Group } from '../../../../lib/client/groups.ts';
import { execute, fetchData, type GraphqlResponse } from '../../graphql/client.ts';

export type { Group };
export type Member = { id: string; version: number; groups: { groupId: string; role: string; group: Group | null }[] };

const GROUP = 'id name externalId createdAt updatedAt version';
const USER = 'id version groups { groupId role group { id name } }';

type Payload = { id: string; group: Group; user: Member };

export async function mutate(name: string, input: object): Promise<GraphqlResponse<object> & { payload?: Payload }> {
  const selection = name === 'deleteGroup' ? 'id' : name.endsWith('Member') ? `user { ${USER} }` : `group { ${GROUP} }`;
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
  const document = `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`;
  const response = await execute<Record<string, Payload>>(document, { input });
  const payload = response.data?.[name];
  return { ...response, ...(payload ? { payload } : {}) };
}

export async function createGroup(input: { name?: string; externalId?: string } = {}): Promise<Group> {
  const { payload, text } = await mutate('createGroup', { name: 'Acme', ...input });
  if (!payload) throw new Error(`Expected a group: ${text}`);
  return payload.group;
}

export const readGroup = async (id: string): Promise<Group | null> =>
  (await fetchData<{ group: Group | null }>(`query ($id: ID!) { group(id: $id) { ${GROUP} } }`, { id })).group;

export const findGroup = async (externalId: string): Promise<Group | null> =>
  (
    await fetchData<{ groupByExternalId: Group | null }>(
      `query ($externalId: String!) { groupByExternalId(externalId: $externalId) { ${GROUP} } }`,
      { externalId },
    )
  ).groupByExternalId;

type Page = {
  nodes: Group[];
  totalCount: number | null;
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
};

export const listGroups = async (variables: {
  first?: number;
  after?: string | null;
  search?: string;
}): Promise<Page> =>
  (
    await fetchData<{ groups: Page }>(
      `query ($first: Int, $after: String, $search: String) { groups(first: $first, after: $after, search: $search) {
        nodes { ${GROUP} } totalCount pageInfo { hasNextPage endCursor } } }`,
      variables,
    )
  ).groups;

/** Reads all pages. */
export async function listNames(variables: { first?: number; search?: string } = {}): Promise<string[]> {
  const names: string[] = [];
  let after: string | null = null;
  do {
    const page: Page = await listGroups({ ...variables, after });
    names.push(...page.nodes.map(({ name }) => name));
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after);
  return names;
}

export const readMember = async (id: string): Promise<Member | null> =>
  (await fetchData<{ user: Member | null }>(`query ($id: ID!) { user(id: $id) { ${USER} } }`, { id })).user;

export const listMembers = async (id: string, args = ''): Promise<string[]> =>
  (
    await fetchData<{ group: { members: { nodes: { id: string }[] } } }>(
      `query ($id: ID!) { group(id: $id) { members${args} { nodes { id } } } }`,
      { id },
    )
  ).group.members.nodes.map((user) => user.id);
