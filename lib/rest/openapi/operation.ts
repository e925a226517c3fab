import { formatEtag } from '../conditional-requests.ts';
import { listQueries } from '../list-queries.ts';
import type { Operation } from '../operation.ts';
import { type OperationName, operations } from '../operations.ts';
import type { ResponseFormat } from '../response-formats.ts';
import { ref, toJsonSchema } from './components.ts';
import { describe } from './descriptions.ts';
import { errorResponses } from './errors.ts';
import { exampleBodies, examples, exampleUser } from './examples.ts';
import { describeHeaders } from './headers.ts';
import { bodySchemaNames, operationId, responseSchemaName, tagName } from './names.ts';

export const userId = {
  name: 'id',
  in: 'path',
  required: true,
  description:
    'The id of a user, in upper or lower case. Any text is allowed; the response is 404 unless a user has it.',
  schema: { type: 'string' },
  example: exampleUser.id,
};

/** An Operation Object: https://spec.openapis.org/oas/v3.1.1.html#operation-object */
export const describeOperation = (name: OperationName, operation: Operation, format: ResponseFormat) => ({
  operationId: operationId(name, format),
  tags: [tagName(format)],
  summary: operation.summary,
  description: describe(name, operation),
  ...(operation.deprecation ? { deprecated: true } : {}),
  parameters: operation.requestHeaders?.map((name) => ref('parameters', name)) ?? describeQuery(format),
  ...(operation.body ? { requestBody: describeRequestBody(name, operation.body) } : {}),
  responses: {
    [operation.status]: describeSuccess(name, operation, format),
    ...(name === 'get-user' ? { 304: describeNotModified(format) } : {}),
    ...errorResponses(operation),
  },
  // Without credentials first: samples are made for the first.
  security: [{}, { jwt: [] }, { iam: [] }],
});

const describeQuery = (format: ResponseFormat) =>
  Object.entries(toJsonSchema(listQueries[format.name]).properties ?? {}).map(([name, property]) => {
    const { description, ...schema } = Object(property);
    return { name, in: 'query', ...(description ? { description } : {}), schema, ...describeChoice(schema) };
  });

/** Scalar's form would send the first value of an enum unless an example is disabled. */
const describeChoice = ({ enum: values }: { enum?: string[] }) =>
  values ? { examples: { default: { value: values[0], 'x-disabled': true } } } : {};

function describeRequestBody(name: OperationName, { mediaTypes }: NonNullable<Operation['body']>) {
  const content = { schema: ref('schemas', bodySchemaNames[name] ?? name), example: exampleBodies[name] };
  return { required: true, content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, content])) };
}

/** Describes the response that the format renders for the example. */
function describeSuccess(name: OperationName, operation: Operation, format: ResponseFormat) {
  const { body, headers } = examples[name](format);
  const description = describeHeaders({ ...headers, deprecation: operation.deprecation });
  if (body === undefined) return { description: 'Done; the response has no body', headers: description };
  return {
    description: operation.path === '' && operation.method === 'GET' ? 'The users' : 'The user',
    headers: description,
    content: { 'application/json': { schema: ref('schemas', responseSchemaName(name, format)), example: body } },
  };
}

function describeNotModified(format: ResponseFormat) {
  const request = { id: exampleUser.id, ifNoneMatch: formatEtag(exampleUser.version) };
  const { headers } = operations['get-user'].render(exampleUser, request, format);
  return { description: 'The user is still at a version of If-None-Match', headers: describeHeaders(headers) };
}
