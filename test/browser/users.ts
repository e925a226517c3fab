export type User = { id: string; name: string; email: string };

const NAMES = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Edsger Dijkstra', 'Barbara Liskov', 'Donald Knuth'];

const BATCH = 50;

/** Names end with the user's number. */
export async function createUsers(url: string, count: number, first = 1): Promise<User[]> {
  const query = `mutation ($input: CreateUsersInput!) {
    createUsers(input: $input) { results { user { id name email } error { message } } }
  }`;
  const users: User[] = [];
  for (let from = first; from < first + count; from += BATCH) {
    const size = Math.min(BATCH, first + count - from);
    const batch = Array.from({ length: size }, (_, at) =>
      describeUser(`${NAMES[(from + at - 1) % NAMES.length]} ${from + at}`),
    );
    const { createUsers } = await mutate<BulkPayload>(url, query, { input: { users: batch } });
    for (const { user, error } of createUsers.results) {
      if (!user) throw new Error(error?.message);
      users.push(user);
    }
  }
  return users;
}

export async function createGroup(url: string, name: string, externalId?: string): Promise<{ id: string }> {
  const query = 'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { group { id } } }';
  const input = { name, externalId };
  return (await mutate<{ createGroup: { group: { id: string } } }>(url, query, { input })).createGroup.group;
}

type BulkPayload = { createUsers: { results: { user: User | null; error: { message: string } | null }[] } };

const describeUser = (name: string) => ({
  name,
  email: `${name.toLowerCase().replaceAll(' ', '.')}@example.org`,
});

export async function createUser(url: string, name: string, ownFields: object = {}): Promise<User> {
  const response = await send(url, 'POST', '', { ...describeUser(name), ...ownFields });
  return (await response.json()) as User;
}

export const readUser = async (url: string, id: string): Promise<User> =>
  (await (await send(url, 'GET', `/${id}`)).json()) as User;

export const changeUser = (url: string, id: string, changes: object) => send(url, 'PATCH', `/${id}`, changes);

export const renameUser = (url: string, id: string, name: string) => changeUser(url, id, { name });

export const deleteUser = (url: string, id: string) => send(url, 'DELETE', `/${id}`);

export const eraseUser = (url: string, id: string): Promise<unknown> =>
  mutate(url, 'mutation ($input: DeleteUserInput!) { deleteUser(input: $input) { id } }', {
    input: { id, erase: true },
  });

export const mergeUsers = (url: string, keep: string, remove: string): Promise<unknown> =>
  mutate(url, 'mutation ($input: MergeUsersInput!) { mergeUsers(input: $input) { user { id } } }', {
    input: { keep, remove },
  });

export const restoreUser = (url: string, id: string): Promise<unknown> =>
  mutate(url, 'mutation ($input: RestoreUserInput!) { restoreUser(input: $input) { user { id } } }', { input: { id } });

async function send(url: string, method: string, path: string, body?: object): Promise<Response> {
  const response = await fetch(`${url}/v1/users${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} answered ${response.status}: ${await response.text()}`);
  return response;
}

/** Titles: "Post 1", "Post 2", … */
export async function createPosts(url: string, authorId: string, count: number): Promise<string[]> {
  const query = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id } } }';
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const { createPost } = await mutate<{ createPost: { post: { id: string } } }>(url, query, {
      input: { authorId, title: `Post ${number}` },
    });
    ids.push(createPost.post.id);
  }
  return ids;
}

export function changePost(
  url: string,
  name: 'updatePost' | 'publishPost' | 'deletePost',
  input: object,
): Promise<unknown> {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
  return mutate(url, `mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`, { input });
}

export function changeGroup(url: string, name: 'updateGroup' | 'deleteGroup', input: object): Promise<unknown> {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
  return mutate(url, `mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`, { input });
}

async function mutate<Data>(url: string, query: string, variables: object): Promise<Data> {
  const body = JSON.stringify({ query, variables });
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}
