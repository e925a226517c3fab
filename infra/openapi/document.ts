import { routes } from '../../lib/rest/operations.ts';
import { type ResponseFormat, renderUser, responseFormats } from '../../lib/rest/responses.ts';
import { headerParameters, responseSchemas, schemas, securitySchemes } from './components.ts';
import { errorResponseComponents } from './errors.ts';
import { exampleUser } from './example-user.ts';
import { examples } from './examples.ts';
import { describeOperation, userId } from './operation.ts';

/**
 * OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1.html). The default `url` is relative to the document: pass an
 * absolute one for a saved copy.
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
    tags: responseFormats.toReversed().map((format) => ({
      name: format.tag,
      description: `Under \`${format.path}\`. A user is returned as \`${JSON.stringify(renderUser(exampleUser, format).body)}\`.`,
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
  for (const { name, operation } of routes) {
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

const serviceDescription = `Create, find, change and delete user records. Two paths offer the same operations on the same records and differ only in the format of the bodies.

Use the GraphQL API for posts and for subscriptions to changes.

## Errors

An error body is \`{ "error": string }\`. Validation errors also list \`issues\`. Send \`Accept: application/json, application/problem+json\` to get RFC 9457 problems instead: programs can switch on their \`code\`. The gateway itself responds with \`{ "message": string }\` to requests that match no route or fail authorization.

| status | meaning |
| --- | --- |
${errorRows.join('\n')}

HEAD returns the headers of GET without the body. The response to an unsupported method is 405, and \`Allow\` lists the supported ones.

## Concurrent changes

\`ETag\` is the version of a user. Send it as \`If-Match\` with a change to avoid overwriting another client's change: the response is then 412, and nothing is changed. Read the user again and decide.
`;
