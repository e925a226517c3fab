import { formatJson, quote } from '../console/format.ts';
import type { Operation } from './document.ts';

/** Empty parameters are not sent. */
export type RequestValues = { parameters: Record<string, string>; mediaType: string; body: string };

export type HttpRequest = { method: string; url: string; headers: Record<string, string>; body?: string };

export const createValues = ({ parameters, body }: Operation): RequestValues => ({
  parameters: Object.fromEntries(parameters.map(({ name, example = '' }) => [name, example])),
  mediaType: body?.mediaTypes[0] ?? '',
  body: body ? JSON.stringify(body.example, null, 2) : '',
});

export function createRequest({ method, path, parameters, body }: Operation, values: RequestValues): HttpRequest {
  const listValues = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name }) => [name, values.parameters[name] ?? ''] as const)
      .filter(([, value]) => value !== '');
  const filled = listValues('path').reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const query = new URLSearchParams(listValues('query').map(([name, value]) => [name, value])).toString();
  const headers = Object.fromEntries(listValues('header'));
  return {
    method,
    url: new URL(query ? `${filled}?${query}` : filled, location.origin).href,
    headers: body ? { 'Content-Type': values.mediaType, ...headers } : headers,
    ...(body ? { body: values.body } : {}),
  };
}

export const samples = { curl: toCurl, JavaScript: toJavaScript, Python: toPython };

export type Language = keyof typeof samples;

function toCurl({ method, url, headers, body }: HttpRequest): string {
  return [
    `curl ${quote(url)}`,
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
  ].join(' \\\n  ');
}

function toJavaScript({ method, url, headers, body }: HttpRequest): string {
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(Object.keys(headers).length === 0 ? [] : [`headers: ${indent(JSON.stringify(headers, null, 2))}`]),
    ...(body === undefined ? [] : [`body: ${writeJavaScriptBody(body)}`]),
  ];
  const init = options.length === 0 ? '' : `, {\n${options.map((option) => `  ${option},\n`).join('')}}`;
  return `const response = await fetch(${JSON.stringify(url)}${init});`;
}

const writeJavaScriptBody = (body: string): string =>
  isJson(body) ? `JSON.stringify(${indent(formatJson(body))})` : JSON.stringify(body);

function toPython({ method, url, headers, body }: HttpRequest): string {
  const passed = [
    JSON.stringify(url),
    ...(Object.keys(headers).length === 0 ? [] : [`headers=${indent(JSON.stringify(headers, null, 2))}`]),
    ...(body === undefined ? [] : [writePythonBody(body)]),
  ];
  return `import requests\n\nresponse = requests.${method.toLowerCase()}(\n${passed.map((each) => `  ${each},\n`).join('')})`;
}

const PYTHON_NAMES: Record<string, string> = { true: 'True', false: 'False', null: 'None' };

/** JSON is valid Python, except for true, false and null. */
const writePythonBody = (body: string): string =>
  isJson(body)
    ? `json=${indent(formatJson(body).replace(/"(?:[^"\\]|\\.)*"|true|false|null/g, (part) => PYTHON_NAMES[part] ?? part))}`
    : `data=${JSON.stringify(body)}`;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const indent = (text: string): string => text.replaceAll('\n', '\n  ');
