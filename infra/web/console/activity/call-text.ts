import * as z from 'zod/mini';
import { type ApiRequest, type Call, isEventStream, isGraphql } from '../api/calls.ts';
import { accessToken } from '../auth/access-token.ts';
import { quote } from '../format.ts';

export const formatHeaders = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

export const formatRequestBody = ({ query, variables, ...rest }: Record<string, unknown>): string =>
  typeof query === 'string' ? `${query}\n\n${JSON.stringify(variables, null, 2)}` : JSON.stringify(rest, null, 2);

export function formatResponse(outcome: Call['outcome']): string {
  if (!outcome) return 'The response has not arrived yet';
  return outcome.body || 'The response has no body';
}

export function toCurl(request: ApiRequest, origin = location.origin): string {
  const parts = [
    `curl ${request.method === 'GET' || (request.method === 'POST' && request.body) ? '' : `-X ${request.method} `}${quote(`${origin}${request.path}`)}`,
    ...Object.entries(listHeaders(request)).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    // The shell expands $TOKEN only between double quotes.
    ...(accessToken.get() ? ['-H "authorization: Bearer $TOKEN"'] : []),
    ...(request.body ? [`-d ${quote(JSON.stringify(request.body))}`] : []),
  ];
  return parts.join(' \\\n  ');
}

/** Returns code for Node.js. In a browser, the line with the token must be changed by hand. */
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
    ...(isEventStream(request) ? PRINT_CHUNKS : PRINT_WHOLE),
  ].join('\n');
}

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
  if (!isEventStream(request)) return [`console.log(await client.graphql(${text}, ${formatCode(variables)}));`];
  return [
    `const results = client.subscribe({ query: ${text}, variables: ${formatCode(variables)} }, { resumes: true });`,
    'for await (const result of results) console.log(result);',
  ];
}

function toMethod({ method, path, headers = {}, body = {} }: ApiRequest): string {
  const { id = '', parameters } = parsePath(path);
  const version = Number(/^"(\d+)/.exec(headers['if-match'] ?? '')?.[1]);
  const user = formatCode(version ? { id, version } : id);
  if (method === 'DELETE') return `delete(${user})`;
  if (method === 'PATCH') return `update(${user}, ${formatCode(body)})`;
  if (method === 'POST')
    return `create(${formatCode(body)}, ${formatCode({ idempotencyKey: headers['idempotency-key'] })})`;
  if (id) return `get(${formatCode(id)})`;
  const { include: _, q: search, page, limit, order, sort, after, ...filter } = Object.fromEntries(parameters);
  if (headers.prefer) return `count(${formatCode(filter)})`;
  if (limit === undefined) return `find(${formatCode(filter)})`;
  if (page === undefined)
    return `listPage(${formatCode({ search, filter, sort, order, limit: Number(limit), after })})`;
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

const graphqlVariables = z.record(z.string(), z.unknown());

const toOperation = ({ body }: ApiRequest) => ({
  query: String(body?.query),
  variables: graphqlVariables.safeParse(body?.variables).data ?? {},
});

const listHeaders = ({ body, headers }: ApiRequest): Record<string, string> => ({
  ...(body ? { 'content-type': 'application/json' } : {}),
  ...headers,
});
