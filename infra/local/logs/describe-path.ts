import type { IncomingMessage } from 'node:http';
import { isUserId } from '../../../lib/dynamodb/keys.ts';
import { responseFormats } from '../../../lib/rest/response-formats.ts';
import { splitUrl } from '../events.ts';

/** Parameters of lists whose values say nothing about a person. */
const IMPERSONAL = new Set(['page', 'limit', 'order', 'after']);

/** Path and query of a request as logs may show them: what can hold a name or an address is `…`. */
export function describePath(request: IncomingMessage): string {
  const [path, query] = splitUrl(request);
  const parameters = query.split('&').map(describeParameter).join('&');
  return query ? `${describeSegments(path)}?${parameters}` : describeSegments(path);
}

function describeSegments(path: string): string {
  const format = responseFormats.find((format) => path.startsWith(`${format.path}/`));
  if (format) return isUserId(path.slice(format.path.length + 1)) ? path : `${format.path}/…`;
  return path.replace(/[^/]*(@|%40)[^/]*/g, '…');
}

function describeParameter(parameter: string): string {
  const [name = '', value] = parameter.split('=');
  if (value === undefined) return '…';
  return IMPERSONAL.has(name) ? parameter : `${/^\w+$/.test(name) ? name : '…'}=…`;
}
