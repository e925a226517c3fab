import * as z from 'zod/mini';
import type { Operation, RestOperation } from '../../lib/rest/operation.ts';
import { include } from '../../lib/rest/operations/list-users.ts';
import { listCommonHeaders, type ResponseFormat } from '../../lib/rest/responses.ts';
import { describeHeaders, findChoiceName, ref, responseSchemaName, toJsonSchema } from './components.ts';
import { errorResponses } from './errors.ts';
import { exampleUser } from './example-user.ts';
import type { Examples } from './examples.ts';

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
  name: string,
  operation: RestOperation<Request, Result>,
  examples: Examples<Request, Result>,
  format: ResponseFormat,
) => ({
  operationId: `${name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}${format.suffix}`,
  tags: [format.tag],
  summary: operation.summary,
  description: `${operation.description}\n\nScope: \`users:${operation.right}\``,
  ...(operation.deprecation ? { deprecated: true } : {}),
  parameters: [
    ...(operation.queries ? describeQuery(operation.queries[format.name]) : []),
    ...(operation.response?.name === 'User' ? describeQuery(z.object({ include })) : []),
    ...(operation.requestHeaders ?? []).map((name) => ref('parameters', name)),
  ],
  ...(operation.body ? { requestBody: describeRequestBody(operation.body, examples[0].body) } : {}),
  responses: { ...describeResponses(operation, examples, format), ...errorResponses(operation) },
  // Tools create sample requests for the first alternative: no credentials.
  security: [{}, { jwt: [] }, { iam: [] }],
});

const describeQuery = (schema: z.ZodMiniType) =>
  Object.entries(toJsonSchema(schema).properties ?? {}).map(([name, property]) => {
    const { description, ...schema } = typeof property === 'object' ? property : {};
    const choice = 'enum' in schema ? findChoiceName(name) : undefined;
    return {
      name,
      in: 'query',
      ...(description ? { description } : {}),
      ...('type' in schema && schema.type === 'array' ? { explode: true } : {}),
      schema: choice ? ref('schemas', choice) : schema,
    };
  });

function describeRequestBody({ name, mediaTypes }: NonNullable<Operation['body']>, example?: object) {
  const content = { schema: ref('schemas', name), example };
  return { required: true, content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, content])) };
}

const describeResponses = <Request, Result>(
  operation: RestOperation<Request, Result>,
  examples: Examples<Request, Result>,
  format: ResponseFormat,
) =>
  Object.fromEntries(
    examples.map(({ request, result, description }) => {
      const { response } = operation;
      const { status = operation.status, body, headers } = operation.render(result, request, format);
      return [
        status,
        {
          description: description ?? response?.description ?? 'Done. The response has no body',
          headers: describeHeaders({ ...headers, ...listCommonHeaders(operation) }),
          ...(body === undefined || !response
            ? {}
            : {
                content: {
                  'application/json': {
                    schema: ref('schemas', responseSchemaName(response.name, format)),
                    example: body,
                  },
                },
              }),
        },
      ];
    }),
  );
