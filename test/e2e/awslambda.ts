import { type ClientRequest, request } from 'node:http';
import { finished } from 'node:stream/promises';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { defineAwslambda, type ResponseHead, ResponseStream } from '../../infra/local/runtime.ts';
import { STREAM_TO } from './streaming.ts';

// Emulated functions import this file, because the emulator lacks the global `awslambda`.
defineAwslambda((handler) => async (event: APIGatewayProxyEventV2, context: Context) => {
  const url = event.headers[STREAM_TO];
  describeSigner(event);
  if (!url) throw new Error(`The request has no header ${STREAM_TO}, so the response cannot be streamed`);
  const stream = createResponseStream(url);
  await Promise.all([handler(event as never, stream, context), finished(stream)]);
});

/** Adds the IAM caller to the event, as AWS does. The emulator only shows that the request was signed. */
function describeSigner({ headers, requestContext }: APIGatewayProxyEventV2): void {
  if (requestContext.accountId === 'anonymous' || !headers.authorization?.startsWith('AWS4-HMAC-SHA256')) return;
  Object.assign(requestContext, { authorizer: { iam: { userArn: `arn:aws:iam::${requestContext.accountId}:root` } } });
}

/** Ends when the proxy has received all chunks. */
function createResponseStream(url: string): ResponseStream {
  let outgoing: ClientRequest;
  const stream = new ResponseStream({
    open(head: ResponseHead) {
      outgoing = request(url, { method: 'POST', headers: { [STREAM_TO]: JSON.stringify(head) } });
      outgoing.on('error', (error) => stream.destroy(error));
      outgoing.flushHeaders();
      return outgoing;
    },
    end(body, done) {
      outgoing.once('response', (receipt) => receipt.resume().once('end', done));
      body.end();
    },
  });
  return stream;
}
