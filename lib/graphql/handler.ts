import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { AcquireSlot } from '../features/change-log/sse/stream-limit.ts';
import { respond } from './respond.ts';
import { writeBody } from './write-body.ts';

/** The AWS SDK also creates a global `awslambda`, but only a runtime that can stream adds this function. */
const canStream = 'awslambda' in globalThis && 'streamifyResponse' in awslambda;

/** Runtimes that cannot stream (`sam local`, some emulators) support no subscriptions. */
export const handle = canStream
  ? awslambda.streamifyResponse(handleStreaming)
  : (event: APIGatewayProxyEventV2) => respond(event);

async function handleStreaming(event: APIGatewayProxyEventV2, stream: awslambda.HttpResponseStream): Promise<void> {
  const connection = new AbortController();
  stream.once('close', () => connection.abort());
  const { body, ...head } = await respond(event, { connection, acquireSlot });
  const output = awslambda.HttpResponseStream.from(stream, head);
  // Lambda loses status and headers unless something is written, even an empty text.
  output.write('');
  await writeBody(output, body, connection);
}

/** Loads stream-limit.ts on first use, because only streams need it. */
const acquireSlot: AcquireSlot = async (...args) => {
  const { acquireTableSlot } = await import('../features/change-log/sse/stream-limit.ts');
  return acquireTableSlot(...args);
};
