import * as z from 'zod/mini';
import { type ApiRequest, type Call, isGraphql } from '../api/calls.ts';
import { accessToken } from '../auth/access-token.ts';
import { quote } from '../format.ts';
import { listMembers, ownFields } from '../own-fields.ts';

export const formatHeaders = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** The document of a GraphQL operation is easier to read on lines than as JSON. */
export const formatRequestBody = ({ query, variables, ...rest }: Record<string, unknown>): string =>
  typeof query === 'string' ? `${query}\n\n${JSON.stringify(variables, null, 2)}` : JSON.stringify(rest, null, 2);

export function formatResponse(outcome: Call['outcome']): string {
  if (!outcome) return 'The response has not arrived yet';
  return outcome.body || 'The response has no body';
}

/** Writes a call as a command. Tokens are not copied: the command reads $TOKEN. */
export function toCurl(request: ApiRequest, origin = location.origin): string {
  const parts = [
    `curl ${request.method === 'GET' || (request.method === 'POST' && request.body) ? '' : `-X ${request.method} `}${quote(`${origin}${request.path}`)}`,
    ...Object.entries(listHeaders(request)).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    // The shell replaces $TOKEN between double quotes only.
    ...(accessToken.get() ? ['-H "authorization: Bearer $TOKEN"'] : []),
    ...(request.body ? [`-d ${quote(JSON.stringify(request.body))}`] : []),
  ];
  return parts.join(' \\\n  ');
}

/** Writes a call as JavaScript. Its first line is for the token, which is not copied. */
export function toFetch(request: ApiRequest, origin = location.origin): string {
  const { method, path, body } = request;
  const hasToken = accessToken.get() !== undefined;
  const headers = [
    ...Object.entries(listHeaders(request)).map((header) => header.map((text) => JSON.stringify(text)).join(': ')),
    ...(hasToken ? ['"authorization": "Bearer " + token'] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},`]),
    ...(headers.length > 0 ? [`  headers: {\n    ${headers.join(',\n    ')}\n  },`] : []),
    ...(body ? [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`] : []),
  ];
  const url = JSON.stringify(`${origin}${path}`);
  return [
    ...(hasToken ? ['const token = process.env.TOKEN; // In a browser, write the token here.'] : []),
    `const response = await ${options.length > 0 ? `fetch(${url}, {\n${options.join('\n')}\n})` : `fetch(${url})`};`,
    ...(isStream(request) ? PRINT_CHUNKS : PRINT_WHOLE),
  ].join('\n');
}

/** Writes a call as a program that uses the client of the package. The token is not copied. */
export function toClient(request: ApiRequest, origin = location.origin): string {
  const hasToken = accessToken.get() !== undefined;
  const options = [`baseUrl: ${JSON.stringify(origin)}`, ...(hasToken ? ['auth: () => process.env.TOKEN'] : [])];
  return [
    "import { createClient } from 'user-management-client';",
    '',
    `const client = createClient({ ${options.join(', ')} });`,
    ...(isGraphql(request) ? callGraphql(request) : [`console.log(await client.users.${toMethod(request)});`]),
  ].join('\n');
}

function callGraphql(request: ApiRequest): string[] {
  const { query, variables } = toOperation(request);
  const text = `\`${query}\``;
  if (!isStream(request)) return [`console.log(await client.graphql(${text}, ${formatCode(variables)}));`];
  return [
    `const results = client.subscribe({ query: ${text}, variables: ${formatCode(variables)} }, { resumes: true });`,
    'for await (const result of results) console.log(result);',
  ];
}

/** The method of the client that sends a REST call of the console. */
function toMethod({ method, path, headers = {}, body = {} }: ApiRequest): string {
  const { id = '', parameters } = parsePath(path);
  const version = Number(headers['if-match']?.replaceAll('"', ''));
  const user = formatCode(version ? { id, version } : id);
  if (method === 'DELETE') return `delete(${user})`;
  if (method === 'PATCH') return `update(${user}, ${formatCode(body)})`;
  if (method === 'POST')
    return `create(${formatCode(body)}, ${formatCode({ idempotencyKey: headers['idempotency-key'] })})`;
  const { q, page, limit, order, after, ...by } = Object.fromEntries(parameters);
  if (q !== undefined) return `searchPage(${formatCode(q)}, ${formatCode({ limit: Number(limit), after })})`;
  if (page === undefined) return `find(${formatCode(by)})`;
  return `page(${formatCode({ page: Number(page), limit: Number(limit), order })})`;
}

const formatCode = (value: unknown): string => JSON.stringify(value, null, 2);

function parsePath(path: string): { id: string | undefined; parameters: URLSearchParams } {
  const [, id, query = ''] = /^\/v1\/users(?:\/([^?]+))?(?:\?(.*))?$/.exec(path) ?? [];
  return { id, parameters: new URLSearchParams(query) };
}

const PRINT_WHOLE = ['console.log(response.status, await response.text());'];
/** Some browsers cannot iterate over a stream, but all can pipe it. */
const PRINT_CHUNKS = [
  'console.log(response.status);',
  'const chunks = response.body.pipeThrough(new TextDecoderStream());',
  'await chunks.pipeTo(new WritableStream({ write: (chunk) => console.log(chunk) }));',
];

const isStream = ({ headers }: ApiRequest) => headers?.accept === 'text/event-stream';

const graphqlVariables = z.record(z.string(), z.unknown());

/** Writes the operation of a GraphQL call, or the one that does the same as a REST call. */
export function toGraphql(request: ApiRequest): string {
  const operation = isGraphql(request) ? toOperation(request) : toGraphqlOperation(request);
  const hasVariables = Object.keys(operation.variables).length > 0;
  return hasVariables
    ? `${operation.query}\n\n# Variables:\n${JSON.stringify(operation.variables, null, 2).replace(/^/gm, '# ')}\n`
    : `${operation.query}\n`;
}

const toOperation = ({ body }: ApiRequest): Operation => ({
  query: String(body?.query),
  variables: graphqlVariables.safeParse(body?.variables).data ?? {},
});

const listHeaders = ({ body, headers }: ApiRequest): Record<string, string> => ({
  ...(body ? { 'content-type': 'application/json' } : {}),
  ...headers,
});

type Operation = { query: string; variables: Record<string, unknown> };

/** The members of a user, separated by spaces. */
const selectUser = (...others: string[]): string => ['id', ...listMembers(), ...others].join(' ');

/** Returns the GraphQL operation that does the same as a REST call of the console. */
function toGraphqlOperation({ method, path, headers = {}, body = {} }: ApiRequest): Operation {
  const { id: pathId, parameters } = parsePath(path);
  const version = Number(headers['if-match']?.replaceAll('"', ''));
  const ifVersion = version ? { ifVersion: version } : {};
  const idempotencyKey = headers['idempotency-key'];
  const user = `user { ${selectUser('version')} }`;
  if (method === 'GET') return findByField(parameters) ?? listUsers(parameters);
  if (method === 'POST') return mutate('createUser', { ...body, ...(idempotencyKey ? { idempotencyKey } : {}) }, user);
  if (method === 'PATCH') return mutate('updateUser', { id: pathId, ...body, ...ifVersion }, user);
  return mutate('deleteUser', { id: pathId, ...ifVersion }, 'id');
}

function mutate(name: string, input: object, selection: string): Operation {
  const type = `${name.replace(/^./, (letter) => letter.toUpperCase())}Input`;
  return {
    query: `mutation ($input: ${type}!) {\n  ${name}(input: $input) { ${selection} }\n}`,
    variables: { input },
  };
}

/** Returns undefined for a list that is not of the user with a value of a unique field. */
function findByField(parameters: URLSearchParams): Operation | undefined {
  const field = ownFields.get().find(({ name }) => parameters.has(name));
  if (!field) return undefined;
  const { name, type } = field;
  const text = parameters.get(name) ?? '';
  const value = type === 'integer' || type === 'number' ? text : JSON.stringify(text);
  const lookup = `userBy${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return { query: `query {\n  ${lookup}(${name}: ${value}) { ${selectUser()} }\n}`, variables: {} };
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
    query: `${note}query {\n  users(${options.join(', ')}) {\n    ${total}pageInfo { hasNextPage endCursor }\n    edges { node { ${selectUser()} } }\n  }\n}`,
    variables: {},
  };
}
