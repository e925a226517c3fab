import type { UserPage } from '../../users/list.ts';
import { formatEtag } from '../conditional-requests.ts';
import { deprecationHeaders } from '../deprecation.ts';
import type { Operation } from '../operations.ts';
import type { ResponseFormat } from '../response-formats.ts';
import { ada, toJsonSchema, ref } from './components.ts';
import { errorResponses } from './errors.ts';
import { describeHeaders } from './headers.ts';

export const userId = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Of a user. Whatever names none is answered with 404.',
  schema: { type: 'string' },
  example: ada.id,
};

/** The family of paths that a shape answers: `api` or `v1`. */
export const tagName = ({ path }: ResponseFormat) => path.split('/')[1] ?? path;

/** An Operation Object: https://spec.openapis.org/oas/v3.1.1.html#operation-object */
export const describeOperation = (name: string, operation: Operation, format: ResponseFormat) => ({
  operationId: `${tagName(format)}-${name}`,
  tags: [tagName(format)],
  summary: operation.summary,
  ...(operation.deprecation ? { deprecated: true } : {}),
  parameters: describeParameters(operation, format),
  ...(operation.body ? { requestBody: describeRequestBody(name, operation) } : {}),
  responses: { ...successResponses(operation, format), ...errorResponses(operation) },
  security: [{ jwt: [operation.scope] }, { iam: [] }, {}],
});

const lists = ({ method, path }: Operation) => method === 'GET' && path === '';

function describeParameters(operation: Operation, { listQuery }: ResponseFormat) {
  if (lists(operation))
    return Object.entries(toJsonSchema(listQuery).properties ?? {}).map(([name, property]) => {
      const { description, ...schema } = Object(property);
      return { name, in: 'query', ...(description ? { description } : {}), schema };
    });
  if (operation.method === 'GET') return [ref('parameters', 'If-None-Match')];
  return [ref('parameters', operation.method === 'POST' ? 'Idempotency-Key' : 'If-Match')];
}

function describeRequestBody(name: string, { method, accepts = [] }: Operation) {
  const example = method === 'PATCH' ? { name: ada.name } : { name: ada.name, email: ada.email };
  const content = { schema: ref('schemas', name), example };
  return { required: true, content: Object.fromEntries(accepts.map((mediaType) => [mediaType, content])) };
}

/** A page with neighbours on both sides, so that it shows every link. */
const page: UserPage = { users: [ada], next: ada.id, total: 3 };

/** What the shape itself renders for an example. */
function successResponses(operation: Operation, format: ResponseFormat) {
  if (operation.status === 204) return { 204: { description: 'Done; there is no body' } };
  const list = lists(operation);
  const { body, headers } = format.success(list ? page : ada, { limit: 1, page: 2 });
  const etag = { etag: formatEtag(ada.version) };
  const location = { location: `${format.path}/${ada.id}` };
  const given = {
    ...deprecationHeaders(operation.deprecation),
    ...headers,
    ...(list ? {} : etag),
    ...(operation.status === 201 ? location : {}),
  };
  const success = {
    description: list ? 'The users' : 'The user',
    headers: describeHeaders(given),
    content: { 'application/json': { schema: schemaLike(body), example: body } },
  };
  const unchanged = { description: 'The user is still at a version of If-None-Match', headers: describeHeaders(etag) };
  return { [operation.status]: success, ...(operation.method === 'GET' && !list ? { 304: unchanged } : {}) };
}

/** The schema of a body of ours, read off an example: records, numbers, and lists and objects of them. */
function schemaLike(body: unknown): object {
  if (Array.isArray(body)) return { type: 'array', items: schemaLike(body[0]) };
  if (typeof body === 'number') return { type: 'integer', minimum: 0 };
  const members = Object.entries(Object(body));
  if (members.some(([, member]) => member === ada.id)) return ref('schemas', 'User');
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [name, schemaLike(member)])),
    required: members.map(([name]) => name),
    additionalProperties: false,
  };
}
