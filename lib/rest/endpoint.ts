import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type * as z from 'zod';
import { readCaller } from '../auth/caller.ts';
import { REQUEST_TIME_LIMIT_MS, withDeadline } from '../dynamodb/deadline.ts';
import { invalidInput } from '../errors.ts';
import { type IdempotencyKey, idempotencyKey } from '../idempotency.ts';
import { withRequestLog } from '../request-log.ts';
import type { ListUsers } from '../users/list.ts';
import { parseInput } from '../validation.ts';
import { formatEtag, matchesEtag, parseIfMatch } from './conditional-requests.ts';
import { type Operation, type OperationName, operations } from './operations.ts';
import { JSON_HEADERS, createPipeline } from './pipeline.ts';
import { type Result, type ResponseFormat, responseFormats } from './response-formats.ts';

type Event = APIGatewayProxyEventV2;
type Body<Name extends OperationName> = (typeof operations)[Name] extends { body: infer Schema extends z.ZodType }
  ? Omit<z.output<Schema>, 'id'>
  : undefined;

/** What a function gets of a request: all of it parsed, whichever shape it came in. */
export type RestRequest<Name extends OperationName> = {
  id: string;
  body: Body<Name>;
  query: ListUsers;
  ifVersion: number[] | undefined;
  retry: IdempotencyKey | undefined;
};

/** The handler of one operation, for both shapes. */
export function endpoint<Name extends OperationName>(name: Name, run: (request: RestRequest<Name>) => Promise<Result>) {
  const operation: Operation = operations[name];
  const handler = createPipeline(operation).handler(async (event) => {
    const format = findFormat(event);
    const request = readRequest<Name>(operation, format, event);
    return render(operation, format, await run(request), request.query, event.headers['if-none-match']);
  });
  return (event: Event, context: Context) =>
    withRequestLog(event, async () => ({
      result: await withDeadline(REQUEST_TIME_LIMIT_MS, () => handler(event, context)),
    }));
}

function findFormat({ routeKey }: Event): ResponseFormat {
  const format = responseFormats.find(({ path }) => routeKey.split(' ')[1]?.startsWith(path));
  if (!format) throw new Error(`No response format for the route ${routeKey}`);
  return format;
}

function readRequest<Name extends OperationName>(
  operation: Operation,
  format: ResponseFormat,
  event: Event,
): RestRequest<Name> {
  const id = event.pathParameters?.id ?? '';
  const lists = operation.method === 'GET' && operation.path === '';
  return {
    id,
    body: parseBody(operation, event, id) as Body<Name>,
    query: lists ? parseInput(format.listQuery, event.queryStringParameters ?? {}) : { limit: 1 },
    ifVersion: parseIfMatch(event.headers['if-match']),
    retry: operation.method === 'POST' ? parseIdempotencyKey(event) : undefined,
  };
}

/** Parsed by the operation's own schema, so that what comes out is its body. */
function parseBody({ body: schema }: Operation, { body }: Event, pathId: string) {
  if (!schema) return undefined;
  const { id, ...fields }: { id?: string } = parseInput(schema, body);
  if (id !== undefined && id !== pathId) throw invalidInput(['id'], 'id: must be the id of the path');
  return fields;
}

function parseIdempotencyKey(event: Event): IdempotencyKey | undefined {
  const key = event.headers['idempotency-key'];
  if (key === undefined) return undefined;
  return { key: parseInput(idempotencyKey, key), caller: readCaller(event) };
}

function render(
  operation: Operation,
  format: ResponseFormat,
  answer: Result,
  query: ListUsers,
  ifNoneMatch?: string,
): APIGatewayProxyStructuredResultV2 {
  if (operation.status === 204 || !answer) return { statusCode: 204 };
  const { body, headers } = format.success(answer, query);
  const result = { statusCode: operation.status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) };
  if ('users' in answer) return result;
  const etag = formatEtag(answer.version);
  if (operation.method === 'GET' && matchesEtag(ifNoneMatch, answer.version))
    return { statusCode: 304, headers: { etag } };
  const location = operation.status === 201 ? { location: `${format.path}/${answer.id}` } : {};
  return { ...result, headers: { ...result.headers, etag, ...location } };
}
