import { accessToken } from '../api/access-token.ts';
import { type ApiRequest, isGraphql } from '../api/calls.ts';
import { toGraphqlOperation } from './graphql.ts';

/** A call as a command. Tokens are not copied: the command reads $TOKEN. */
export function toCurl(request: ApiRequest, origin = location.origin): string {
  const parts = [
    `curl ${request.method === 'GET' || (request.method === 'POST' && request.body) ? '' : `-X ${request.method} `}${quote(`${origin}${request.path}`)}`,
    ...Object.entries(formatHeaders(request)).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    // The shell replaces $TOKEN between double quotes only.
    ...(accessToken.get() ? ['-H "authorization: Bearer $TOKEN"'] : []),
    ...(request.body ? [`-d ${quote(JSON.stringify(request.body))}`] : []),
  ];
  return parts.join(' \\\n  ');
}

/** A call as JavaScript. Its first line is for the token, which is not copied. */
export function toFetch(request: ApiRequest, origin = location.origin): string {
  const { method, path, body } = request;
  const hasToken = accessToken.get() !== undefined;
  const headers = [
    ...Object.entries(formatHeaders(request)).map((header) => header.map((text) => JSON.stringify(text)).join(': ')),
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

const PRINT_WHOLE = ['console.log(response.status, await response.text());'];
/** Some browsers cannot iterate over a stream, but all can pipe it. */
const PRINT_CHUNKS = [
  'console.log(response.status);',
  'const chunks = response.body.pipeThrough(new TextDecoderStream());',
  'await chunks.pipeTo(new WritableStream({ write: (chunk) => console.log(chunk) }));',
];

const isStream = ({ headers }: ApiRequest) => headers?.accept === 'text/event-stream';

/** The operation of a GraphQL call, or the one that does the same as a REST call. */
export function toGraphql(request: ApiRequest): string {
  const operation = isGraphql(request)
    ? { query: String(request.body?.query), variables: request.body?.variables }
    : toGraphqlOperation(request);
  const hasVariables = Object.keys(Object(operation.variables)).length > 0;
  return hasVariables
    ? `${operation.query}\n\n# Variables:\n${JSON.stringify(operation.variables, null, 2).replace(/^/gm, '# ')}\n`
    : `${operation.query}\n`;
}

const formatHeaders = ({ body, headers }: ApiRequest): Record<string, string> => ({
  ...(body ? { 'content-type': 'application/json' } : {}),
  ...headers,
});

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
