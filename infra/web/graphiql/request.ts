import { Kind, type OperationDefinitionNode, parse } from 'graphql';
import * as z from 'zod/mini';
import { findGraphqlError, toClientError } from '../../../lib/client/errors.ts';

type Headers = Record<string, string>;

/** Replaces `{{unique}}` by a random text and `{{newestUserId}}` by the newest (or a created) user's id. */
export async function fillVariables(url: string, variables: unknown, headers: Headers = {}): Promise<unknown> {
  const text = JSON.stringify(variables ?? {});
  if (!text.includes('{{')) return variables;
  const filled = text.replaceAll('{{unique}}', createUniqueText);
  if (!filled.includes('{{newestUserId}}')) return JSON.parse(filled);
  return JSON.parse(filled.replaceAll('{{newestUserId}}', await findNewestUserId(url, headers)));
}

const createUniqueText = () => Math.random().toString(36).slice(2, 10);

const NEWEST = '{ users(first: 1, order: DESC) { edges { node { id } } } }';
const CREATE = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }';

const node = z.object({ id: z.string() });
const newest = z.object({ users: z.object({ edges: z.array(z.object({ node })) }) });
const created = z.object({ createUser: z.object({ user: node }) });

async function findNewestUserId(url: string, headers: Headers): Promise<string> {
  const { users } = await send(url, newest, headers, { query: NEWEST });
  if (users.edges[0]) return users.edges[0].node.id;
  const input = { name: 'Ada Lovelace', email: `ada-${createUniqueText()}@example.org` };
  const { createUser } = await send(url, created, headers, { query: CREATE, variables: { input } });
  return createUser.user.id;
}

async function send<Data>(url: string, data: z.ZodMiniType<Data>, headers: Headers, body: object): Promise<Data> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  const error = findGraphqlError(answer);
  if (error) throw toClientError(error);
  return z.object({ data }).parse(answer).data;
}

/** Falls back to the first operation: right after a tab opens, GraphiQL still passes the previous tab's name. */
export function findOperation(query: string, name: string | null | undefined): OperationDefinitionNode | undefined {
  try {
    const operations = parse(query).definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
    return operations.find((operation) => operation.name?.value === name) ?? operations[0];
  } catch {
    return undefined;
  }
}
