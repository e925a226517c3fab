import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { toServiceError } from '../errors.ts';
import { parseJsonBody } from '../json.ts';
import { requestError } from './request-error.ts';

/** The largest mutation has a document, a name, an address, a title and a key: less than half of this. */
const MAX_REQUEST_BYTES = 100_000;
/** Room for 1000 tokens; bounds aliases and names, which the response repeats for every item. */
const MAX_DOCUMENT_BYTES = 20_000;

/** Throws request errors. */
export function parseRequestBody(event: APIGatewayProxyEventV2): unknown {
  const { body = '', isBase64Encoded } = event;
  assertRequestSize(Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8'));
  return parseJson(event);
}

export function assertRequestSize(bytes: number): void {
  if (bytes <= MAX_REQUEST_BYTES) return;
  throw requestError(413, 'BAD_REQUEST', `The request has ${bytes} bytes, which is more than ${MAX_REQUEST_BYTES}`);
}

/** Checked before parsing, because the parsed document is much larger. */
export function assertDocumentSize(document: string): void {
  const bytes = Buffer.byteLength(document);
  if (bytes <= MAX_DOCUMENT_BYTES) return;
  const message = `The document has ${bytes} bytes, which is more than ${MAX_DOCUMENT_BYTES}`;
  throw requestError(400, 'GRAPHQL_PARSE_FAILED', message);
}

function parseJson(event: APIGatewayProxyEventV2): unknown {
  try {
    return parseJsonBody(event);
  } catch (error) {
    const { message } = toServiceError(error) ?? {};
    throw message === undefined ? error : requestError(400, 'BAD_REQUEST', message);
  }
}
