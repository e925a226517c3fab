/**
 * In a request to a function: the URL of the proxy that receives the streamed response.
 * In that response: status and headers, as JSON.
 */
export const STREAM_TO = 'x-e2e-stream';
