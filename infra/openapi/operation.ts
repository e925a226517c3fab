import * as z from 'zod/mini';
import type { Operation, RestOperation } from '../../lib/rest/operation.ts';
import { include } from '../../lib/rest/operations/list-users.ts';
import type { RouteName } from '../../lib/rest/operations.ts';
import { listCommonHeaders, type ResponseFormat } from '../../lib/rest/responses.ts';
import { describeHeaders, findChoiceName, ref, responseSchemaName } from './components.ts';
import { keyParameters, type OperationDescription, operationDescriptions, queryParameters } from './descriptions.ts';
import { errorResponses } from './errors.ts';
import { exampleUser } from './example-user.ts';
import type { Examples } from './examples.ts';
import { type JsonSchema, toJsonSchema } from './values.ts';

export const userId = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of a user, in upper or lower case. The response is 404 for an unknown or malformed id.',
  schema: { type: 'string' },
  example: exampleUser.id,
};

/** See https://spec.openapis.org/oas/v3.1.1.html#operation-object */
export const describeOperation = <Request, Result>(
  name: RouteName,
  operation: RestOperation<Request, Result>,
  examples: Examples<Request, Result>,
  format: ResponseFormat,
) => {
  const { summary, description, body, response } = operationDescriptions[name];
  return {
    operationId: `${name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}${format.suffix}`,
    tags: [format.tag],
    summary,
    description: `${description}\n\nScope: \`users:${operation.right}\``,
    ...(operation.deprecation ? { deprecated: true } : {}),
    parameters: [
      ...(operation.queries ? describeQuery(operation.queries[format.name], operation.method) : []),
      ...(response === 'User' && !operation.queries ? describeQuery(z.object({ include })) : []),
      ...(operation.requestHeaders ?? []).map((name) => ref('parameters', name)),
    ],
    ...(operation.body && body ? { requestBody: describeRequestBody(body, operation.body, examples[0].body) } : {}),
    responses: { ...describeResponses(operation, response, examples, format), ...errorResponses(operation) },
    // Tools create sample requests for the first alternative: no credentials.
    security: [{}, { jwt: [] }, { iam: [] }],
  };
};

const describeQuery = (schema: z.ZodMiniType, method: Operation['method'] = 'GET') =>
  Object.entries(toJsonSchema(schema).properties ?? {}).map(([name, property]) => {
    const { description, ...schema }: JsonSchema = {
      ...(typeof property === 'object' ? property : {}),
      ...((method === 'PUT' ? keyParameters[name] : undefined) ?? queryParameters[name]),
    };
    const items = schema.items as JsonSchema | undefined;
    const choice = (items ?? schema).enum ? findChoiceName(name) : undefined;
    const reference = choice ? ref('schemas', choice) : undefined;
    return {
      name,
      in: 'query',
      ...(description ? { description } : {}),
      ...(schema.type === 'array' ? { explode: true } : {}),
      schema: reference ? (items ? { ...schema, items: reference } : reference) : schema,
    };
  });

function describeRequestBody(name: string, { mediaTypes }: NonNullable<Operation['body']>, example?: object) {
  const content = { schema: ref('schemas', name), example };
  return { required: true, content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, content])) };
}

const RESPONSES = { User: 'The user', UserList: 'The users', Me: 'The record', MeData: 'The data' };

const describeResponses = <Request, Result>(
  operation: RestOperation<Request, Result>,
  name: OperationDescription['response'],
  examples: Examples<Request, Result>,
  format: ResponseFormat,
) =>
  Object.fromEntries(
    examples.map(({ request, result, description }) => {
      const { status = operation.status, body, headers } = operation.render(result, request, format);
      return [
        status,
        {
          description: description ?? (name ? RESPONSES[name] : 'Done. The response has no body'),
          headers: describeHeaders({ ...headers, ...listCommonHeaders(operation) }),
          ...(body === undefined || !name
            ? {}
            : {
                content: {
                  'application/json': {
                    schema: ref('schemas', responseSchemaName(name, format)),
                    example: body,
                  },
                },
              }),
        },
      ];
    }),
  );
