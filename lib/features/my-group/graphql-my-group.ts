import type { GraphQLResolveInfo } from 'graphql';
import * as z from 'zod/mini';
import { forbidden } from '../../errors.ts';
import type { GraphqlContext } from '../../graphql/context.ts';
import type { Connection } from '../../graphql/schema/connection.ts';
import { DEFAULT_FIRST, firstOfConnection } from '../../graphql/schema/first-of-connection.ts';
import { toRestValues, toRestValuesWithoutNull } from '../../graphql/schema/own-fields.ts';
import { parseInput } from '../../input/parsing.ts';
import type { Group } from '../groups/group.ts';
import { ADMINISTRATOR_READS, type Administrator, requireAdministrator } from './administrator.ts';
import { addMemberInput, removeMemberInput, updateMemberInput } from './input.ts';
import * as members from './read.ts';
import { addMember, removeMember, updateMember } from './write.ts';

/** Throws for requests without a token: signed requests, and all requests of an open service. */
async function findCallingAdministrator({ access, budget }: GraphqlContext): Promise<Administrator> {
  if (!access.claims) throw forbidden('The request must have a token');
  budget.spendRead(ADMINISTRATOR_READS);
  return requireAdministrator(access.claims);
}

export async function myGroup(_: unknown, __: unknown, context: GraphqlContext, info: GraphQLResolveInfo) {
  return context.budget.spendReturned((await findCallingAdministrator(context)).group, info);
}

const listArguments = z.object({
  first: firstOfConnection,
  after: z.nullish(z.string()),
  role: z.nullish(z.string()),
  search: z.nullish(z.string()),
});

export async function listMembers(
  group: Group,
  input: unknown,
  { budget }: GraphqlContext,
): Promise<Connection<members.Member>> {
  const { first, after, role, search } = parseInput(listArguments, input);
  budget.assertNotExceeded();
  const onRead = (items: number) => budget.spendRead(items);
  const filter = { role: role ?? undefined, search: search ?? undefined };
  const list = { first: first ?? DEFAULT_FIRST, after: after ?? undefined, ...filter };
  const { users, next } = await members.listMembers(group, list, onRead);
  const nodes = users.flatMap((user) => members.toMember(user, group) ?? []);
  return {
    nodes,
    cursors: nodes.map(({ id }) => id),
    hasNextPage: next !== undefined,
    hasPreviousPage: after != null,
    endCursor: next,
    count: async () => (await members.countMembers(group, filter, onRead)) ?? null,
  };
}

export async function findMember(
  group: Group,
  { id }: { id: string },
  { budget }: GraphqlContext,
  info: GraphQLResolveInfo,
) {
  budget.spendRead(1);
  return budget.spendReturned(await members.findMember(group, id), info);
}

type WithInput = { input: Record<string, unknown> };

function startWrite(context: GraphqlContext): Promise<Administrator> {
  context.budget.spendWrite();
  return findCallingAdministrator(context);
}

export async function addMyGroupMember(_: unknown, { input }: WithInput, context: GraphqlContext) {
  const member = parseInput(addMemberInput, toRestValuesWithoutNull(input));
  return { member: await addMember(await startWrite(context), member) };
}

export async function updateMyGroupMember(_: unknown, { input }: WithInput, context: GraphqlContext) {
  const { role, ...changes } = toRestValues(input);
  const member = parseInput(updateMemberInput, { ...changes, role: role ?? undefined });
  return { member: await updateMember(await startWrite(context), member) };
}

export async function removeMyGroupMember(_: unknown, { input }: WithInput, context: GraphqlContext) {
  const member = parseInput(removeMemberInput, input);
  return removeMember(await startWrite(context), member);
}
