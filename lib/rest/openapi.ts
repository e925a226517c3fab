import { ada, headerParameters, schemas, securitySchemes } from './openapi/components.ts';
import { failures } from './openapi/errors.ts';
import { describeOperation, tagName, userId } from './openapi/operation.ts';
import { type Operation, operations } from './operations.ts';
import { type ResponseFormat, responseFormats } from './response-formats.ts';

const DESCRIPTION = `User records, over two families of paths: the same operations on the same records, each with its own bodies.

Every error body is \`{ "error": string }\`; one about the input names each fault in \`issues\`. What no route requireContentType, or an
authorizer refuses, is answered by the gateway itself with \`{ "message": string }\`.`;

/** The OpenAPI 3.1 document of every operation in every shape (https://spec.openapis.org/oas/v3.1.1.html). */
export function openApiDocument(version: string) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'User Management Service',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'Where this document comes from' }],
    tags: responseFormats.map((format) => ({
      name: tagName(format),
      description: `A user comes as \`${exampleBody(format)}\`.`,
    })),
    paths: Object.assign({}, ...responseFormats.map(describePaths)),
    components: { schemas, parameters: headerParameters, responses: failures, securitySchemes },
  };
}

const exampleBody = (format: ResponseFormat) => JSON.stringify(format.success(ada, { limit: 1 }).body);

type Paths = Record<string, Record<string, unknown>>;

function describePaths(format: ResponseFormat): Paths {
  const paths: Paths = {};
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const path = `${format.path}${operation.path}`;
    const parameters = operation.path ? { parameters: [userId] } : {};
    paths[path] ??= parameters;
    paths[path][operation.method.toLowerCase()] = describeOperation(name, operation, format);
  }
  return paths;
}
