import { headerParameters, schemas, securitySchemes } from './openapi/components.ts';
import { serviceDescription } from './openapi/descriptions.ts';
import { errorResponseComponents } from './openapi/errors.ts';
import { exampleUser } from './openapi/examples.ts';
import { tagName } from './openapi/names.ts';
import { describeOperation, userId } from './openapi/operation.ts';
import { responseSchemas } from './openapi/response-schemas.ts';
import type { Operation } from './operation.ts';
import { operationNames, operations } from './operations.ts';
import { type ResponseFormat, responseFormats } from './response-formats.ts';

/** The OpenAPI 3.1 document of every operation in every response format (https://spec.openapis.org/oas/v3.1.1.html). */
export function openApiDocument(version: string) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'User Management Service',
      version,
      description: serviceDescription,
      contact: { name: 'The operators of this deployment' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server of this document' }],
    // The bare format first: most clients want it.
    tags: responseFormats.toReversed().map((format) => ({
      name: tagName(format),
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
    const operation: Operation = operations[name];
    const path = `${format.path}${operation.path}`;
    paths[path] ??= operation.path ? { parameters: [userId] } : {};
    paths[path][operation.method.toLowerCase()] = describeOperation(name, operation, format);
  }
  return paths;
}
