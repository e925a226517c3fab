/**
 * The response with a body that ends a moment after its last chunk: graphql-sse notices the end of a stream only while it
 * waits for a message, and would wait for ever for the next one.
 */
export function delayEnd(response: Response): Response {
  const flush = () => new Promise<void>((resolve) => setTimeout(resolve));
  return new Response(response.body?.pipeThrough(new TransformStream({ flush })), response);
}
