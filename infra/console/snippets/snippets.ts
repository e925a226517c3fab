import { accessToken } from '../api/access-token.ts';
import { type ApiRequest, isGraphql } from '../api/calls.ts';
import { toGraphqlOperation } from './graphql.ts';

/** A call as a command. Tokens are not copied: the command reads $TOKEN. */
export function toCurl(request: ApiRequest, origin = location.origin): string {
  const parts = [
    `curl ${request.method === 'GET' || (request.method === 'POST' && request.body) ? '' : `-X ${request.method} `}${quote(`${origin}${request.path}`)}`,
    ...Object.entries(headersOnWire(request)).map(([name, value]) => `-H ${quoteHeader(`${name}: ${value}`)}`),
    ...(request.body ? [`-d ${quote(JSON.stringify(request.body))}`] : []),
  ];
  return parts.join(' \\\n  ');
}

export function toFetch(request: ApiRequest, origin = location.origin): string {
  const { method, path, body } = request;
  const headers = headersOnWire(request);
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},`]),
    ...(Object.keys(headers).length > 0 ? [`  headers: ${indent(headers)},`] : []),
    ...(body ? [`  body: JSON.stringify(${indent(body)}),`] : []),
  ];
  const url = JSON.stringify(`${origin}${path}`);
  const call = options.length > 0 ? `fetch(${url}, {\n${options.join('\n')}\n})` : `fetch(${url})`;
  return `const response = await ${call};\nconsole.log(response.status, await response.text());`;
}

/** The operation of a GraphQL call, or the one that does the same as a REST call. */
export function toGraphql(request: ApiRequest): string | undefined {
  const operation = isGraphql(request)
    ? { query: String(request.body?.query), variables: request.body?.variables }
    : toGraphqlOperation(request);
  if (!operation) return undefined;
  const hasVariables = Object.keys(Object(operation.variables)).length > 0;
  return hasVariables
    ? `${operation.query}\n\n# Variables:\n${JSON.stringify(operation.variables, null, 2).replace(/^/gm, '# ')}\n`
    : `${operation.query}\n`;
}

const headersOnWire = ({ body, headers }: ApiRequest): Record<string, string> => ({
  ...(body ? { 'content-type': 'application/json' } : {}),
  ...(accessToken.get() ? { authorization: 'Bearer $TOKEN' } : {}),
  ...headers,
});

const indent = (value: object) => JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The shell replaces $TOKEN between double quotes only. */
const quoteHeader = (header: string) => (header.endsWith('$TOKEN') ? `"${header}"` : quote(header));
