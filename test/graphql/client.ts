import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { handler } from '../../functions/graphql.ts';
import { createContext } from '../../infra/local/runtime.ts';
import { createGraphqlEvent, type RequestOptions } from '../setup/event.ts';

type GraphqlError = { message: string; path?: (string | number)[]; extensions: { code: string; issues?: unknown[] } };

/** `Data` is what the operation selects: the schema, which the server keeps, is what makes it so. */
export type Answer<Data> = {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  data?: Data | null;
  errors?: GraphqlError[];
};
export type User = { id: string; name: string; email: string };
export type Post = { id: string; title: string; publishedAt: string | null };

/** Without the global that Lambda gives to functions that stream, the handler answers whole. */
const handleBuffered = handler as (event: unknown, context: unknown) => Promise<APIGatewayProxyStructuredResultV2>;

/** One request as it stands. */
export async function send<Data>(method: string, sent: RequestOptions): Promise<Answer<Data>> {
  const {
    statusCode = 0,
    headers = {},
    body = '',
  } = await handleBuffered(createGraphqlEvent(method, sent), createContext());
  return { status: statusCode, headers, text: body, ...(body ? JSON.parse(body) : {}) };
}

type Variables = Record<string, unknown>;

export const execute = <Data>(
  query: string,
  variables?: Variables,
  sent: Omit<RequestOptions, 'body'> = {},
  operationName?: string,
) => send<Data>('POST', { ...sent, body: { query, variables, operationName } });

/** What the operation selects, where it has to succeed. */
export async function dataOf<Data>(query: string, variables?: Variables): Promise<Data> {
  const { data, errors, text } = await execute<Data>(query, variables);
  if (errors || !data) throw new Error(`Not answered: ${text}`);
  return data;
}

const selections = { User: 'user { id name email version }', Post: 'post { id title publishedAt author { id } }' };

/** Runs a mutation and gives its payload beside the errors. */
export async function mutate<Payload = { user: User & { version: number }; post: Post }>(
  name: string,
  input: Variables,
  sent: Omit<RequestOptions, 'body'> = {},
) {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
  const selection = name.startsWith('delete') ? 'id' : selections[name.endsWith('Post') ? 'Post' : 'User'];
  const document = `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`;
  const answer = await execute<Record<string, Payload>>(document, { input }, sent);
  return { ...answer, payload: answer.data?.[name] };
}

/** The code of the only error. */
export const codeOf = ({ errors, text }: Answer<unknown>) => {
  if (errors?.length !== 1) throw new Error(`Not one error: ${text}`);
  return errors[0]?.extensions.code;
};

let people = 0;
/** Somebody with an address that nobody else in the file has. */
export const person = () => ({ name: `Person ${++people}`, email: `person${people}@example.org` });

export async function newUser(fields: Partial<User> = {}): Promise<User & { version: number }> {
  const { payload, text } = await mutate('createUser', { ...person(), ...fields });
  if (!payload) throw new Error(`No user: ${text}`);
  return payload.user;
}

export async function newPost(authorId: string, title = 'On Engines'): Promise<Post> {
  const { payload, text } = await mutate('createPost', { authorId, title });
  if (!payload) throw new Error(`No post: ${text}`);
  return payload.post;
}

export type FullUser = User & { createdAt: string; updatedAt: string; version: number };

/** All that GraphQL shows of a user but the posts; null for none. */
export const readUser = async (id: string): Promise<FullUser | null> =>
  (
    await dataOf<{ user: FullUser | null }>(
      'query ($id: ID!) { user(id: $id) { id name email createdAt updatedAt version } }',
      { id },
    )
  ).user;

/** Null for none. */
export const readPost = async (id: string): Promise<Post | null> =>
  (
    await dataOf<{ post: Post | null }>('query ($id: ID!) { post(id: $id) { id title publishedAt author { id } } }', {
      id,
    })
  ).post;

/** Takes the arguments of `posts` with their parentheses. */
export const postsOf = async (id: string, args = ''): Promise<Post[]> =>
  (
    await dataOf<{ user: { posts: Post[] } }>(
      `query ($id: ID!) { user(id: $id) { posts${args} { id title publishedAt author { id } } } }`,
      { id },
    )
  ).user.posts;
