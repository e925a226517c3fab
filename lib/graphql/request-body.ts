import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { parse } from 'content-type';
import { toServiceError } from '../errors.ts';
import { countBytes, MAX_BODY_BYTES, parseJsonBody } from '../input/parsing.ts';
import { ENCODED_BODY, isEncoded, isUtf8Charset, OTHER_CHARSET } from '../negotiation.ts';
import { httpError } from './errors.ts';

/** Rejects requests that a form on another site could send (CSRF). Throws HTTP errors. */
export function requireJsonType({ headers }: APIGatewayProxyEventV2): void {
  const { type, parameters } = parse(headers['content-type'] ?? '');
  if (type !== 'application/json') throw httpError(415, 'BAD_REQUEST', 'The Content-Type must be application/json');
  if (!isUtf8Charset(parameters.charset)) throw httpError(415, 'BAD_REQUEST', OTHER_CHARSET);
}

/** Throws HTTP errors. */
export function parseRequestBody(event: APIGatewayProxyEventV2): unknown {
  requireJsonType(event);
  if (isEncoded(event.headers['content-encoding']))
    throw httpError(415, 'BAD_REQUEST', ENCODED_BODY, { 'accept-encoding': 'identity' });
  assertRequestSize(countBytes(event));
  return dropEmptyName(parseJson(event));
}

/** An empty operationName counts as absent (GraphQL over HTTP, section 5.2). */
const dropEmptyName = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'operationName' in body && body.operationName === ''
    ? { ...body, operationName: null }
    : body;

export function assertRequestSize(bytes: number): void {
  if (bytes <= MAX_BODY_BYTES) return;
  throw httpError(413, 'BAD_REQUEST', `The request has ${bytes} bytes, which is more than ${MAX_BODY_BYTES}`);
}

function parseJson(event: APIGatewayProxyEventV2): unknown {
  try {
    return parseJsonBody(event);
  } catch (error) {
    const { message, issues } = toServiceError(error) ?? {};
    throw message === undefined || issues ? error : httpError(400, 'BAD_REQUEST', message);
  }
}
