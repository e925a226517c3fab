import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type * as z from 'zod';
import { callerOf } from '../caller.ts';
import { invalid } from '../errors.ts';
import { type Retry, retryKey } from '../idempotency.ts';
import { observed } from '../observe.ts';
import type { ListUsers } from '../users/list.ts';
import { parsed } from '../validation.ts';
import { etagOf, isCurrent, versionsOf } from './conditions.ts';
import { type Operation, type OperationName, operations } from './operations.ts';
import { JSON_HEADERS, pipelineOf } from './pipeline.ts';
import { type Answer, type Shape, shapes } from './shapes.ts';

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
  retry: Retry | undefined;
};

/** The handler of one operation, for both shapes. */
export function endpoint<Name extends OperationName>(name: Name, run: (request: RestRequest<Name>) => Promise<Answer>) {
  const operation: Operation = operations[name];
  const handler = pipelineOf(operation).handler(async (event) => {
    const shape = shapeOf(event);
    const request = readRequest<Name>(operation, shape, event);
    return render(operation, shape, await run(request), request.query, event.headers['if-none-match']);
  });
  return (event: Event, context: Context) => observed(event, () => handler(event, context));
}

function shapeOf({ routeKey }: Event): Shape {
  const shape = shapes.find(({ path }) => routeKey.split(' ')[1]?.startsWith(path));
  if (!shape) throw new Error(`No response shape for the route ${routeKey}`);
  return shape;
}

function readRequest<Name extends OperationName>(operation: Operation, shape: Shape, event: Event): RestRequest<Name> {
  const id = event.pathParameters?.id ?? '';
  const lists = operation.method === 'GET' && operation.path === '';
  return {
    id,
    body: bodyOf(operation, event, id) as Body<Name>,
    query: lists ? parsed(shape.listQuery, event.queryStringParameters ?? {}) : { limit: 1 },
    ifVersion: versionsOf(event.headers['if-match']),
    retry: operation.method === 'POST' ? retryOf(event) : undefined,
  };
}

/** Parsed by the operation's own schema, so that what comes out is its body. */
function bodyOf({ body: schema }: Operation, { body }: Event, pathId: string) {
  if (!schema) return undefined;
  const { id, ...fields }: { id?: string } = parsed(schema, body);
  if (id !== undefined && id !== pathId) throw invalid(['id'], 'id: must be the id of the path');
  return fields;
}

function retryOf(event: Event): Retry | undefined {
  const key = event.headers['idempotency-key'];
  if (key === undefined) return undefined;
  return { key: parsed(retryKey, key), caller: callerOf(event) };
}

function render(
  operation: Operation,
  shape: Shape,
  answer: Answer,
  query: ListUsers,
  ifNoneMatch?: string,
): APIGatewayProxyStructuredResultV2 {
  if (operation.status === 204 || !answer) return { statusCode: 204 };
  const { body, headers } = shape.success(answer, query);
  const result = { statusCode: operation.status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) };
  if ('users' in answer) return result;
  const etag = etagOf(answer.version);
  if (operation.method === 'GET' && isCurrent(ifNoneMatch, answer.version))
    return { statusCode: 304, headers: { etag } };
  const location = operation.status === 201 ? { location: `${shape.path}/${answer.id}` } : {};
  return { ...result, headers: { ...result.headers, etag, ...location } };
}
