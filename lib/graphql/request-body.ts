import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { toServiceError } from '../errors.ts';
import { countBytes, parseJsonBody } from '../json.ts';
import { requestError } from './request-error.ts';

/** The largest mutation has a document, a name, an address, a title and a key: less than half of this. */
const MAX_REQUEST_BYTES = 100_000;

/** Throws request errors. */
export function parseRequestBody(event: APIGatewayProxyEventV2): unknown {
  assertRequestSize(countBytes(event));
  return parseJson(event);
}

export function assertRequestSize(bytes: number): void {
  if (bytes <= MAX_REQUEST_BYTES) return;
  throw requestError(413, 'BAD_REQUEST', `The request has ${bytes} bytes, which is more than ${MAX_REQUEST_BYTES}`);
}

function parseJson(event: APIGatewayProxyEventV2): unknown {
  try {
    return parseJsonBody(event);
  } catch (error) {
    const { message } = toServiceError(error) ?? {};
    throw message === undefined ? error : requestError(400, 'BAD_REQUEST', message);
  }
}
