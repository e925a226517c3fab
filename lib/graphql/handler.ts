import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { AcquireSlot } from '../features/change-log/sse/stream-limit.ts';
import { respond } from './respond.ts';
import { writeBody } from './write-body.ts';

/** The AWS SDK creates a global `awslambda` as well; only a runtime that can stream gives it this function. */
const canStream = 'awslambda' in globalThis && 'streamifyResponse' in awslambda;

/** A runtime that cannot stream (`sam local`, some emulators) gets queries and mutations answered, but no subscriptions. */
export const handle = canStream
  ? awslambda.streamifyResponse(handleStreaming)
  : (event: APIGatewayProxyEventV2) => respond(event);

async function handleStreaming(event: APIGatewayProxyEventV2, stream: awslambda.HttpResponseStream): Promise<void> {
  const connection = new AbortController();
  stream.once('close', () => connection.abort());
  const { body, ...head } = await respond(event, { connection, acquireSlot });
  const output = awslambda.HttpResponseStream.from(stream, head);
  // Lambda loses status and headers of a response that ends without a write, even if the write is empty.
  output.write('');
  await writeBody(output, body, connection);
}

/** Only streams have slots. */
const acquireSlot: AcquireSlot = async (...args) => {
  const { acquireTableSlot } = await import('../features/change-log/sse/stream-limit.ts');
  return acquireTableSlot(...args);
};
