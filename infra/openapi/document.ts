import { type AnyOperation, operationNames, operations } from '../../lib/rest/operations.ts';
import { type ResponseFormat, responseFormats } from '../../lib/rest/responses.ts';
import { headerParameters, responseSchemas, schemas, securitySchemes } from './components.ts';
import { errorResponseComponents } from './errors.ts';
import { exampleUser } from './example-user.ts';
import { examples } from './examples.ts';
import { describeOperation, userId } from './operation.ts';

/**
 * The OpenAPI 3.1 document of every operation in every response format (https://spec.openapis.org/oas/v3.1.1.html). `url` is that of
 * the service: programs that save the document need an absolute one.
 */
export function openApiDocument(version: string, url = '/') {
  return {
    openapi: '3.1.1',
    info: {
      title: 'User Management Service',
      version,
      description: serviceDescription,
      contact: { name: 'The operators of this deployment' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url, description: 'The server of this document' }],
    // The bare format first: most clients want it.
    tags: responseFormats.toReversed().map((format) => ({
      name: format.tag,
      description: `Under \`${format.path}\`. A user is returned as \`${JSON.stringify(format.renderUser(exampleUser))}\`.`,
    })),
    paths: Object.assign({}, ...responseFormats.map(describePaths)),
    components: {
      schemas: { ...schemas, ...responseSchemas },
      parameters: headerParameters,
      responses: errorResponseComponents,
      securitySchemes,
    },
  };
}

type Paths = Record<string, Record<string, unknown>>;

function describePaths(format: ResponseFormat): Paths {
  const paths: Paths = {};
  for (const name of operationNames) {
    const operation: AnyOperation = operations[name];
    const path = `${format.path}${operation.path}`;
    paths[path] ??= operation.path.includes('{id}') ? { parameters: [userId] } : {};
    paths[path][operation.method.toLowerCase()] = describeOperation(name, operation, examples[name], format);
  }
  return paths;
}

const errorRows = Object.entries({
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  406: 'NotAcceptable',
  409: 'Conflict',
  412: 'PreconditionFailed',
  415: 'UnsupportedMediaType',
  422: 'IdempotencyKeyReused',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
} as const).map(([status, name]) => `| ${status} | ${errorResponseComponents[name].description} |`);

const serviceDescription = `Create, find, change and delete user records. The same operations on the same records are available under two paths, which differ only in the format of the bodies.

Posts, times of users and subscriptions to changes are in the GraphQL API.

## Errors

Every error body is \`{ "error": string }\`; validation errors also list each problem in \`issues\`. Where \`Accept\` names \`application/problem+json\` beside \`application/json\`, and does not prefer the latter, errors are problems of RFC 9457, whose \`code\` programs can decide by. The gateway itself answers requests that match no route or fail authorization, with \`{ "message": string }\`.

| status | meaning |
| --- | --- |
${errorRows.join('\n')}

HEAD gets the response to GET, without the body. Another method than those of a path gets 405, with the right ones in \`Allow\`.

## Concurrent changes

\`ETag\` is the version of a user. Send it in \`If-Match\` with a change: if another client was faster, the response is 412, and nothing is changed. Read the user again and decide.
`;
