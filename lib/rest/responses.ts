import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { UserPage } from '../users/list.ts';
import type { User } from '../users/schema.ts';
import { matchesEtag } from './conditional-requests.ts';
import type { OperationName } from './operations.ts';
import type { RestRequests } from './requests.ts';
import type { ResponseFormat } from './response-formats.ts';
import { type HeaderValues, renderHeaders } from './response-headers.ts';

/** What the function of an operation returns. */
export type Results = {
  'list-users': UserPage;
  'get-user': User;
  'create-user': User;
  'replace-user': User;
  'update-user': User;
  'delete-user': { id: string };
};

/** The status is that of the operation unless given. */
type Rendered = { status?: 304; body?: unknown; headers?: HeaderValues };

type Renderer<Name extends OperationName> = (
  result: Results[Name],
  request: RestRequests[Name],
  format: ResponseFormat,
) => Rendered;

export const resultRenderers: { [Name in OperationName]: Renderer<Name> } = {
  'list-users': (page, query, format) => format.renderList(page, query),
  'get-user': (user, { ifNoneMatch }, format) =>
    matchesEtag(ifNoneMatch, user.version)
      ? { status: 304, headers: { version: user.version } }
      : renderUser(user, format),
  'create-user': (user, _, format) => {
    const { body, headers } = renderUser(user, format);
    return { body, headers: { ...headers, location: `${format.path}/${user.id}` } };
  },
  'replace-user': (user, _, format) => renderUser(user, format),
  'update-user': (user, _, format) => renderUser(user, format),
  'delete-user': () => ({}),
};

const renderUser = (user: User, format: ResponseFormat) => ({
  body: format.renderUser(user),
  headers: { version: user.version },
});

/** Browsers must not guess another type and run a body as a script. */
const BODY_HEADERS = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' };

export function createResponse(
  statusCode: number,
  body: unknown,
  values: HeaderValues,
): APIGatewayProxyStructuredResultV2 {
  const headers = renderHeaders(values);
  if (body === undefined) return { statusCode, headers };
  return { statusCode, headers: { ...BODY_HEADERS, ...headers }, body: JSON.stringify(body) };
}
