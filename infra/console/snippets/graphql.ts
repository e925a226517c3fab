import type { ApiRequest } from '../api/calls.ts';

type Operation = { query: string; variables: Record<string, unknown> };

const USER = 'id name email version';

/** The GraphQL operation that does the same as a REST call of the console. */
export function toGraphqlOperation({ method, path, headers = {}, body = {} }: ApiRequest): Operation | undefined {
  const [, pathId, query = ''] = /^\/v1\/users(?:\/([^?]+))?(?:\?(.*))?$/.exec(path) ?? [];
  const version = Number(headers['if-match']?.replaceAll('"', ''));
  const ifVersion = version ? { ifVersion: version } : {};
  const idempotencyKey = headers['idempotency-key'];
  if (method === 'GET' && !pathId) return listUsers(new URLSearchParams(query));
  if (method === 'GET') return { query: `query ($id: ID!) { user(id: $id) { ${USER} } }`, variables: { id: pathId } };
  if (method === 'POST')
    return mutate('createUser', { ...body, ...(idempotencyKey ? { idempotencyKey } : {}) }, `user { ${USER} }`);
  if (method === 'PATCH') return mutate('updateUser', { id: pathId, ...body, ...ifVersion }, `user { ${USER} }`);
  if (method === 'DELETE') return mutate('deleteUser', { id: pathId, ...ifVersion }, 'id');
  return undefined;
}

function mutate(name: string, input: object, selection: string): Operation {
  const type = `${name.replace(/^./, (letter) => letter.toUpperCase())}Input`;
  return {
    query: `mutation ($input: ${type}!) {\n  ${name}(input: $input) { ${selection} }\n}`,
    variables: { input },
  };
}

/** GraphQL pages by cursor: a page number becomes the first page. */
function listUsers(parameters: URLSearchParams): Operation {
  const limit = Math.min(Number(parameters.get('limit') ?? 20), 100);
  const search = parameters.get('q');
  const order = parameters.get('order') === 'desc' ? ', order: DESC' : '';
  const filter = search ? `, search: ${JSON.stringify(search)}` : order;
  const total = search ? '' : 'totalCount ';
  return {
    query: `query {\n  users(first: ${limit}${filter}) {\n    ${total}pageInfo { hasNextPage endCursor }\n    edges { node { id name email } }\n  }\n}`,
    variables: {},
  };
}
