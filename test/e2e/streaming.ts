/**
 * A request to a function names in it the URL of the proxy that receives the streamed response; that response has
 * status and headers in it, as JSON.
 */
export const STREAM_TO = 'x-e2e-stream';
