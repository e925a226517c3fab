type Headers = Record<string, string>;

/** Replaces `{{unique}}` and `{{newestUserId}}` in variables, so that the first tabs work on any data. */
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

type Newest = { users: { edges: { node: { id: string } }[] } };
type Created = { createUser: { user: { id: string } } };

async function findNewestUserId(url: string, headers: Headers): Promise<string> {
  const { users } = await send<Newest>(url, headers, { query: NEWEST });
  if (users.edges[0]) return users.edges[0].node.id;
  const input = { name: 'Ada Lovelace', email: `ada-${createUniqueText()}@example.org` };
  const { createUser } = await send<Created>(url, headers, { query: CREATE, variables: { input } });
  return createUser.user.id;
}

async function send<Data>(url: string, headers: Headers, body: object): Promise<Data> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const { data, errors } = Object(await response.json());
  if (errors) throw new Error(errors[0].message);
  return data;
}
