import { getOperationAST, parse } from 'graphql';

/** More than the API takes of a document, with room for variables. */
const MAX_BYTES = 100_000;

/** `mutation CreateUser` or `query`; undefined if the body of the request cannot be parsed. */
export function describeOperation(body: Buffer): string | undefined {
  if (body.length > MAX_BYTES) return undefined;
  try {
    const { query, operationName } = JSON.parse(body.toString());
    const operation = getOperationAST(parse(String(query)), operationName);
    return operation ? [operation.operation, operation.name?.value].filter(Boolean).join(' ') : undefined;
  } catch {
    return undefined;
  }
}
