import { randomUUID } from 'node:crypto';
import { createGroup } from '../../../../lib/features/groups/write.ts';
import type { User } from '../../../../lib/users/user.ts';
import { createUser as create } from '../../../../lib/users/write.ts';
import type { Issuer } from '../../auth/issuer.ts';
import { newPerson as createPerson } from '../me/person.ts';

/** Value of the setting `groupClaim` in these tests. */
export const CLAIM = 'org_id';

type Membership = { id: string; role: string };

/** Creates a user with own fields, as an operator does. */
export async function createUser(input: { name?: string; email?: string; groups?: Membership[]; sub?: string }) {
  const user = { name: 'Ada', email: `${randomUUID()}@example.org`, ...input };
  return (await create(user, 'operator')).user;
}

export const createCompany = () => createGroup({ name: 'Acme', externalId: `org_${randomUUID()}` }, 'operator');

export type Company = Awaited<ReturnType<typeof createCompany>>;

/** Creates a member without a subject. */
export const createMember = ({ id }: Company, input: { name?: string; role?: string } = {}): Promise<User> => {
  const { name = 'Bob', role = 'member' } = input;
  return createUser({ name, groups: [{ id, role }] });
};

/** Creates a person with a role in the company and a token for it. `claims` override the token's claims. */
export async function createAdministrator(
  url: string,
  issuer: Issuer,
  { id, externalId }: Company,
  { role = 'admin', ...claims }: { role?: string; [claim: string]: unknown } = {},
) {
  const person = await createPerson(url, issuer, { scope: 'users:group', [CLAIM]: externalId, ...claims });
  const user = await createUser({ sub: person.subject, groups: [{ id, role }] });
  return { ...person, id: user.id };
}

export const MEMBER = 'id name email role title badge plan createdAt';

const INPUTS = { add: 'AddMyGroupMemberInput', update: 'UpdateMyGroupMemberInput', remove: 'RemoveMyGroupMemberInput' };

export type Caller = { graphql(query: string, variables?: object): Promise<unknown> };
type Member = { id: string; name: string; email: string; role: string; title: string | null };
export type Answer = {
  data?: Record<string, { id?: string; member?: Member } | null> | null;
  errors?: { message: string; extensions: { code: string; reason?: string; [name: string]: unknown } }[];
};

/** Sends a mutation of `myGroup`. */
export async function mutate(caller: Caller, kind: keyof typeof INPUTS, input: object): Promise<Answer> {
  const selection = kind === 'remove' ? 'id' : `member { ${MEMBER} }`;
  const document = `mutation ($input: ${INPUTS[kind]}!) { ${kind}MyGroupMember(input: $input) { ${selection} } }`;
  return (await caller.graphql(document, { input })) as Answer;
}

/** Names the reason of a failure, or returns undefined. */
export const findReason = ({ errors }: Answer): string | undefined =>
  errors?.[0] && (errors[0].extensions.reason ?? errors[0].extensions.code);

export const readGroup = async (caller: Caller, selection = 'id name'): Promise<Answer> =>
  (await caller.graphql(`{ myGroup { ${selection} } }`)) as Answer;

type Page = {
  nodes: { id: string; name: string }[];
  totalCount: number | null;
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
};

export async function listMembers(caller: Caller, args = ''): Promise<Page> {
  const answer = await readGroup(
    caller,
    `members${args} { nodes { ${MEMBER} } totalCount pageInfo { hasNextPage endCursor } }`,
  );
  const { members } = (answer.data?.myGroup ?? {}) as { members?: Page };
  if (!members) throw new Error(`Expected members: ${JSON.stringify(answer)}`);
  return members;
}

export const listIds = async (caller: Caller, args = ''): Promise<string[]> =>
  (await listMembers(caller, args)).nodes.map(({ id }) => id);
