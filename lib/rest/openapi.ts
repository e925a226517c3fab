import { headerParameters, schemas, securitySchemes } from './openapi/components.ts';
import { errorResponseComponents } from './openapi/errors.ts';
import { exampleUser } from './openapi/examples.ts';
import { describeOperation, tagName, userId } from './openapi/operation.ts';
import { type Operation, operationNames, operations } from './operations.ts';
import { type ResponseFormat, responseFormats } from './response-formats.ts';

const DESCRIPTION = `Create, read, update and delete user records. The same operations on the same records are available under two paths, which differ only in the format of the bodies.

Every error body is \`{ "error": string }\`; validation errors also list each problem in \`issues\`. The gateway itself answers requests that match no route or fail authorization, with \`{ "message": string }\`.`;

/** The OpenAPI 3.1 document of every operation in every response format (https://spec.openapis.org/oas/v3.1.1.html). */
export function openApiDocument(version: string) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'User Management Service',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server of this document' }],
    tags: responseFormats.map((format) => ({
      name: tagName(format),
      description: `A user is returned as \`${JSON.stringify(format.renderUser(exampleUser))}\`.`,
    })),
    paths: Object.assign({}, ...responseFormats.map(describePaths)),
    components: { schemas, parameters: headerParameters, responses: errorResponseComponents, securitySchemes },
  };
}

type Paths = Record<string, Record<string, unknown>>;

function describePaths(format: ResponseFormat): Paths {
  const paths: Paths = {};
  for (const name of operationNames) {
    const operation: Operation = operations[name];
    const path = `${format.path}${operation.path}`;
    paths[path] ??= operation.path ? { parameters: [userId] } : {};
    paths[path][operation.method.toLowerCase()] = describeOperation(name, operation, format);
  }
  return paths;
}
