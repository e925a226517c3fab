import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { REQUEST_TIME_LIMIT_MS, withDeadline } from '../dynamodb/deadline.ts';
import { withRequestLog } from '../request-log.ts';
import { type Operation, type OperationName, operations } from './operations.ts';
import { createPipeline } from './pipeline.ts';
import { type RestRequests, requestReaders } from './requests.ts';
import { type ResponseFormat, responseFormats } from './response-formats.ts';
import { createResponse, type Results, resultRenderers } from './responses.ts';

type Event = APIGatewayProxyEventV2;
type Run<Name extends OperationName> = (request: RestRequests[Name]) => Promise<Results[Name]>;

/** Creates the Lambda handler of an operation. It serves the operation's routes in every response format. */
export function endpoint<Name extends OperationName>(name: Name, run: Run<Name>) {
  const operation: Operation = operations[name];
  const handler = createPipeline(operation).handler(async (event) => {
    const format = findFormat(event);
    const request = requestReaders[name](event, format);
    const result = await run(request);
    const { status = operation.status, body, headers } = resultRenderers[name](result, request, format);
    return createResponse(status, body, { ...headers, deprecation: operation.deprecation });
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
