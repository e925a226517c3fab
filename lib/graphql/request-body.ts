import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { toServiceError } from '../errors.ts';
import { countBytes, MAX_BODY_BYTES, parseJsonBody } from '../input/json.ts';
import { httpError } from './errors.ts';

/** Throws HTTP errors. */
export function parseRequestBody(event: APIGatewayProxyEventV2): unknown {
  assertRequestSize(countBytes(event));
  return parseJson(event);
}

export function assertRequestSize(bytes: number): void {
  if (bytes <= MAX_BODY_BYTES) return;
  throw httpError(413, 'BAD_REQUEST', `The request has ${bytes} bytes, which is more than ${MAX_BODY_BYTES}`);
}

function parseJson(event: APIGatewayProxyEventV2): unknown {
  try {
    return parseJsonBody(event);
  } catch (error) {
    const { message } = toServiceError(error) ?? {};
    throw message === undefined ? error : httpError(400, 'BAD_REQUEST', message);
  }
}
