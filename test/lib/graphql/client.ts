import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { handler } from '../../../functions/graphql.ts';
import { createContext } from '../../../infra/local/runtime.ts';
import { createGraphqlEvent, type RequestOptions } from '../../setup/event.ts';
import { newPerson } from '../../setup/test-data.ts';

type GraphqlError = { message: string; path?: (string | number)[]; extensions: { code: string; issues?: unknown[] } };

export type GraphqlResponse<Data> = {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  data?: Data | null;
  errors?: GraphqlError[];
};
export type User = { id: string; name: string; email: string };
export type Post = { id: string; title: string; publishedAt: string | null };

/** Returns a body instead of a stream, because tests lack Lambda's global `awslambda`. */
const handleBuffered = handler as (event: unknown, context: unknown) => Promise<APIGatewayProxyStructuredResultV2>;

export async function send<Data>(method: string, sent: RequestOptions): Promise<GraphqlResponse<Data>> {
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

export async function fetchData<Data>(query: string, variables?: Variables): Promise<Data> {
  const { data, errors, text } = await execute<Data>(query, variables);
  if (errors || !data) throw new Error(`Expected data without errors: ${text}`);
  return data;
}

const selections = { User: 'user { id name email version }', Post: 'post { id title publishedAt author { id } }' };

export async function mutate<Payload = { user: User & { version: number }; post: Post }>(
  name: string,
  input: Variables,
  sent: Omit<RequestOptions, 'body'> = {},
) {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
  const selection = name.startsWith('delete') ? 'id' : selections[name.endsWith('Post') ? 'Post' : 'User'];
  const document = `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`;
  const response = await execute<Record<string, Payload>>(document, { input }, sent);
  return { ...response, payload: response.data?.[name] };
}

export const getErrorCode = ({ errors, text }: GraphqlResponse<unknown>) => {
  if (errors?.length !== 1) throw new Error(`Expected one error: ${text}`);
  return errors[0]?.extensions.code;
};

export async function createUser(fields: Partial<User> = {}): Promise<User & { version: number }> {
  const { payload, text } = await mutate('createUser', { ...newPerson(), ...fields });
  if (!payload) throw new Error(`Expected a user: ${text}`);
  return payload.user;
}

export async function createPost(authorId: string, title = 'On Engines'): Promise<Post> {
  const { payload, text } = await mutate('createPost', { authorId, title });
  if (!payload) throw new Error(`Expected a post: ${text}`);
  return payload.post;
}

export type FullUser = User & { createdAt: string; updatedAt: string; version: number };

export const readUser = async (id: string): Promise<FullUser | null> =>
  (
    await fetchData<{ user: FullUser | null }>(
      'query ($id: ID!) { user(id: $id) { id name email createdAt updatedAt version } }',
      { id },
    )
  ).user;

export const readPost = async (id: string): Promise<Post | null> =>
  (
    await fetchData<{ post: Post | null }>(
      'query ($id: ID!) { post(id: $id) { id title publishedAt author { id } } }',
      {
        id,
      },
    )
  ).post;

/** Lists an author's posts. `args` includes parentheses. */
export const listPosts = async (id: string, args = ''): Promise<Post[]> =>
  (
    await fetchData<{ user: { posts: Post[] } }>(
      `query ($id: ID!) { user(id: $id) { posts${args} { id title publishedAt author { id } } } }`,
      { id },
    )
  ).user.posts;
