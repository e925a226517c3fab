import type { Context } from 'aws-lambda';
import { REQUEST_TIME_LIMIT_MS, withDeadline } from '../dynamodb/deadline.ts';
import { withRequestLog } from '../request-log.ts';
import type { Event, RestOperation } from './operation.ts';
import { createPipeline } from './pipeline.ts';
import { type ResponseFormat, responseFormats } from './response-formats.ts';
import { createResponse } from './responses.ts';

/** Creates the Lambda handler of an operation. It serves the operation's routes in every response format. */
export function endpoint<Request, Result>(
  operation: RestOperation<Request, Result>,
  run: (request: Request) => Promise<Result>,
) {
  const handler = createPipeline(operation).handler(async (event) => {
    const format = findFormat(event);
    const request = operation.read(event, format);
    const result = await run(request);
    const { status = operation.status, body, headers } = operation.render(result, request, format);
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
