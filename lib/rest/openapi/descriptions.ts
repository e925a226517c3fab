import type { Operation } from '../operation.ts';
import type { OperationName } from '../operations.ts';
import { errorResponseComponents } from './errors.ts';

/** Beyond what the summary, the parameters and the responses say. */
const descriptions: Record<OperationName, string> = {
  'list-users':
    'Lists users in the order of their creation, or those that a search finds. `Link` headers lead to further pages. Every page costs about the same.',
  'get-user':
    'Returns the user and its version in `ETag`. Send that in `If-None-Match` to get the user again only when it has changed.',
  'create-user':
    'Creates a user. An address that another user has is a conflict, in any case. With an `Idempotency-Key`, the request can be repeated after a lost response.',
  'replace-user': 'Replaces name and address. With `If-Match`, only if nobody has changed the user since that version.',
  'update-user':
    'Changes the fields that the body contains, and no others; a body without fields changes nothing. With `If-Match`, only if nobody has changed the user since that version.',
  'delete-user':
    'Deletes the user at once, and the posts within seconds. This cannot be undone. With `If-Match`, only if nobody has changed the user since that version.',
};

export const describe = (name: OperationName, { scope }: Operation): string =>
  `${descriptions[name]}\n\nScope: \`${scope}\``;

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

export const serviceDescription = `Create, find, change and delete user records. The same operations on the same records are available under two paths, which differ only in the format of the bodies.

Posts, times of users and subscriptions to changes are in the GraphQL API.

## Errors

Every error body is \`{ "error": string }\`; validation errors also list each problem in \`issues\`. The gateway itself answers requests that match no route or fail authorization, with \`{ "message": string }\`.

| status | meaning |
| --- | --- |
${errorRows.join('\n')}

HEAD gets the response to GET, without the body. Another method than those of a path gets 405, with the right ones in \`Allow\`.

## Concurrent changes

\`ETag\` is the version of a user. Send it in \`If-Match\` with a change: if another client was faster, the response is 412, and nothing is changed. Read the user again and decide.
`;
