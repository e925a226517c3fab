import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { User } from '../users/schema.ts';
import type { ResponseFormat } from './response-formats.ts';
import { type HeaderValues, renderHeaders } from './response-headers.ts';

export const renderUser = (user: User, format: ResponseFormat) => ({
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
