import type { ApiRequest } from '../api/calls.ts';

type Operation = { query: string; variables: Record<string, unknown> };

const USER = 'id name email version';

/** The GraphQL operation that does the same as a REST call of the console. */
export function toGraphqlOperation({ method, path, headers = {}, body = {} }: ApiRequest): Operation {
  const [, pathId, query = ''] = /^\/v1\/users(?:\/([^?]+))?(?:\?(.*))?$/.exec(path) ?? [];
  const version = Number(headers['if-match']?.replaceAll('"', ''));
  const ifVersion = version ? { ifVersion: version } : {};
  const idempotencyKey = headers['idempotency-key'];
  if (method === 'GET') return listUsers(new URLSearchParams(query));
  if (method === 'POST')
    return mutate('createUser', { ...body, ...(idempotencyKey ? { idempotencyKey } : {}) }, `user { ${USER} }`);
  if (method === 'PATCH') return mutate('updateUser', { id: pathId, ...body, ...ifVersion }, `user { ${USER} }`);
  return mutate('deleteUser', { id: pathId, ...ifVersion }, 'id');
}

function mutate(name: string, input: object, selection: string): Operation {
  const type = `${name.replace(/^./, (letter) => letter.toUpperCase())}Input`;
  return {
    query: `mutation ($input: ${type}!) {\n  ${name}(input: $input) { ${selection} }\n}`,
    variables: { input },
  };
}

/** The cursors of a search are those of REST. Other pages have numbers in REST, so that there is no cursor to continue from. */
function listUsers(parameters: URLSearchParams): Operation {
  const { limit, page = '1', order, q, after } = Object.fromEntries(parameters);
  const note = page === '1' ? '' : `# Page 1, not ${page}: GraphQL has no page numbers. Pass endCursor as \`after\`.\n`;
  const options = [
    `first: ${limit}`,
    ...(q ? [`search: ${JSON.stringify(q)}`] : []),
    ...(after ? [`after: ${JSON.stringify(after)}`] : []),
    ...(order === 'desc' ? ['order: DESC'] : []),
  ];
  const total = q ? '' : 'totalCount ';
  return {
    query: `${note}query {\n  users(${options.join(', ')}) {\n    ${total}pageInfo { hasNextPage endCursor }\n    edges { node { id name email } }\n  }\n}`,
    variables: {},
  };
}
